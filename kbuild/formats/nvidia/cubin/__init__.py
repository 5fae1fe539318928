"""Cubins, the ELF files of NVIDIA device code."""
