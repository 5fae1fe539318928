"""The text of regions."""
