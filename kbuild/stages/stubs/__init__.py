"""Generate stub units, the host sources that register the kernels of a target."""
