"""Help for suites of tests that run kernels."""
