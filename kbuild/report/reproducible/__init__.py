"""Renderers for the reports of `kbuild verify --reproducible`."""
