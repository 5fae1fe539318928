"""The commands that CMake and the build edges call."""
