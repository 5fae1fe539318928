"""Smoke tests that launch saxpy, written as plain functions with assertions."""

import numpy as np


def test_saxpy(kernels):
    n = 1000  # not a multiple of the block size
    x = np.linspace(0, 1, n, dtype=np.float32)
    y = np.ones(n, dtype=np.float32)
    expected = np.float32(2) * x + y
    kernels["saxpy"].launch(grid=(n + 255) // 256, block=256, args=(n, 2.0, x, y))
    np.testing.assert_allclose(y, expected, rtol=1e-6)


def test_saxpy_leaves_the_rest_alone(kernels):
    y = np.ones(8, dtype=np.float32)
    kernels["saxpy"].launch(grid=1, block=8, args=(4, 1.0, y.copy(), y))
    np.testing.assert_array_equal(y, [2, 2, 2, 2, 1, 1, 1, 1])
