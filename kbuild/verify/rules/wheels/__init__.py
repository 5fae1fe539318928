"""The rules about a wheel as a whole."""
