"""Renderers of `kbuild verify --reproducible` results."""
