"""Find compilers, runtimes, and devices on this machine."""
