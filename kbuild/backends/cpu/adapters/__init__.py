"""The adapters through which the CPU runtime calls kernels with their typed parameters."""
