"""Calls of kbuild's CMake functions: what they say, whether it is valid, and what it means."""
