"""PTX text."""
