"""Shared objects with kernels: load them, and launch their kernels."""
