"""Compare two builds byte for byte."""
