"""Compile kernel sources from Python."""
