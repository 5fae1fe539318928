"""Renderers for the results of `kbuild bench`."""
