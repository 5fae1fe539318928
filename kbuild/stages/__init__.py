"""Plan, compile, link, and pack the kernels of a target. Build edges run this code."""
