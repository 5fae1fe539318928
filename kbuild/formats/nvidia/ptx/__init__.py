"""PTX, the text form of NVIDIA device code."""
