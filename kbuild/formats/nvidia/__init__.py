"""NVIDIA's device code formats."""
