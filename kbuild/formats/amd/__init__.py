"""Formats of AMD device code."""
