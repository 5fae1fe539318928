"""Mutation: how inputs are made from seeds, for bytes, ELF files, text, JSON, and C++ names."""
