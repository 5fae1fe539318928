"""Builds of damaged sources: what the CPU backend says, and what nvcc says, of the same text."""
