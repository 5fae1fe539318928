"""Read C++ source text that is not preprocessed: tokens, declarations, and statements."""
