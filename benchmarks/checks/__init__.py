"""What checks cost."""
