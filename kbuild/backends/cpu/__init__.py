"""The CPU backend: kernels compiled as C++ into shared objects."""
