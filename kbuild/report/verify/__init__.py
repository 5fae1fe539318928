"""Renderers of `kbuild verify` reports."""
