"""Declarations of kernels for hosts in C, Fortran, Rust, and Python."""
