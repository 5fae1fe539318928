"""Running kernels from Python, through the runtime that their artifact is linked to."""
