"""ELF files."""
