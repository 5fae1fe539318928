"""Which tests fail if kbuild does not check a precondition of an edit of kernels."""
