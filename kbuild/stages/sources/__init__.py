"""Declarations in kernel source text: kernel names, and parameter names and types."""
