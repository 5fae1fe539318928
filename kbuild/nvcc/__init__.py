"""A compiler driver that takes nvcc's command line."""
