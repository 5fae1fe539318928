"""Read the command lines of nvcc."""
