"""NVIDIA's fat binaries: containers of device images."""
