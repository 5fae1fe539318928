"""Renderers: reports as text, JSON, and the formats of other tools."""
