"""Renderers for the facts of `kbuild inspect`."""
