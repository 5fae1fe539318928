"""Renderers of `kbuild replay` results."""
