"""The CUDA backend: nvcc, fatbinary, and the CUDA runtime."""
