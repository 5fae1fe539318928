"""Load a built library and launch its kernels."""
