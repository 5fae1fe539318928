"""Device images that are used again for texts with the same device code."""
