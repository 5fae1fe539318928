"""Comparing artifacts: what changed in kernels between two builds."""
