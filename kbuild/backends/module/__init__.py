"""Kernel modules: the structures of ``kbuild/module.h`` in ctypes, and calls through them."""
