"""Smoke test cases: the histogram of a random text."""

import numpy as np


def test_histogram(kernels):
    text = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8)
    counts = np.zeros(256, dtype=np.uint32)
    kernels["histogram"].launch(grid=4, block=256, args=(text, 5000, counts))
    np.testing.assert_array_equal(counts, np.bincount(text, minlength=256))
