"""Renderers of `kbuild bench` results."""
