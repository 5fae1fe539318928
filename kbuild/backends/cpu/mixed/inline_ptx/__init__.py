"""Inline PTX: its statements, and the functions that stand for instructions."""
