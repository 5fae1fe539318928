"""Readers and writers of binary formats: bytes to frozen values and back."""
