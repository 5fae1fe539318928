"""Commands that print what host code needs to use kernels."""
