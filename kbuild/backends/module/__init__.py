"""The module descriptor of ``kbuild/module.h`` as ctypes structures, and calls through it."""
