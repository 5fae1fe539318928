"""NVIDIA's libraries on the CPU, over libraries that exist."""
