"""Find kernel declarations in source text, for the names and types of parameters."""
