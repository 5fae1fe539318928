"""Smoke tests: load a built library and run its kernels.

The package imports nothing: each probe is a process, which loads only what it uses.
"""
