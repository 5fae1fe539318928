"""Renderers of `kbuild diff` reports."""
