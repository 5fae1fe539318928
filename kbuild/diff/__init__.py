"""Compare artifacts: what changed in the kernels between two builds."""
