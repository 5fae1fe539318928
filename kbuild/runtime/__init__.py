"""Compile, load, run, record, and replay kernels from Python."""
