"""Renderers: each turns a frozen value into one text and prints nothing."""
