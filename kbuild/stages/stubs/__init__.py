"""Stub units: the host source that registers the kernels of a target."""
