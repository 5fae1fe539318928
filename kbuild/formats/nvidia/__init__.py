"""Formats of NVIDIA device code."""
