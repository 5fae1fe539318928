"""Compile source text as NVRTC does, for programs that call its functions."""
