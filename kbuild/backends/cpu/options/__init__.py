"""Options for compilers of CPU device code."""
