"""NVIDIA's fat binary containers."""
