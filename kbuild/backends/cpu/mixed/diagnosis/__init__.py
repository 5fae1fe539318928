"""What users see of a source that compilers reject: the compiler's own diagnosis of their text."""
