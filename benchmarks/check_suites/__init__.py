"""How often checks are right."""
