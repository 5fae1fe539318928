"""Renderers of `kbuild inspect`."""
