"""What to do about headers and functions of NVIDIA that the backend does not have."""
