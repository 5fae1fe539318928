"""Commands for those who publish artifacts."""
