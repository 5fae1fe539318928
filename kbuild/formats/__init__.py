"""Readers and writers of binary formats, which convert between bytes and frozen values."""
