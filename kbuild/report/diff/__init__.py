"""Renderers for the reports of `kbuild diff`."""
