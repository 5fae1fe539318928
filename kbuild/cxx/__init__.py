"""Preprocessed C++ text: find launches and kernels in it, and rewrite them for a host compiler."""
