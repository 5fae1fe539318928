"""Every kernel of the suite against numpy."""

import numpy as np

# They are cases of this file too.
from launched_cases import (  # noqa: F401
    test_advance_takes_a_struct,
    test_fill_overloads,
    test_scale_each_type,
)

RANDOM = np.random.default_rng(20)


def test_matmul(kernels):
    rows, inner, columns = 45, 70, 33  # no multiples of the tile
    a = RANDOM.standard_normal((rows, inner), dtype=np.float32)
    b = RANDOM.standard_normal((inner, columns), dtype=np.float32)
    c = np.zeros((rows, columns), dtype=np.float32)
    grid = ((columns + 15) // 16, (rows + 15) // 16)
    kernels["matmul"].launch(grid=grid, block=(16, 16), args=(rows, inner, columns, a, b, c))
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)


def test_sum_of_squares(kernels):
    values = RANDOM.standard_normal(5000)
    for block in (1, 64, 1024):
        blocks = -(-values.size // block)
        sums = np.zeros(blocks)
        kernels["sum_of_squares"].launch(
            grid=blocks, block=block, shared_bytes=8 * block, args=(values.size, values, sums)
        )
        np.testing.assert_allclose(sums.sum(), (values**2).sum(), rtol=1e-12)


def test_reverse_first_half(kernels):
    values = np.arange(64, dtype=np.int32)
    kernels["reverse_first_half"].launch(grid=1, block=64, args=(32, values))
    np.testing.assert_array_equal(values[:32], np.arange(31, -1, -1))
    np.testing.assert_array_equal(values[32:], np.arange(32, 64))


def test_histogram(kernels):
    data = RANDOM.integers(0, 256, 100_000, dtype=np.uint8)
    bins = np.zeros(256, dtype=np.uint32)
    kernels["histogram"].launch(grid=12, block=96, args=(data.size, data, bins))
    np.testing.assert_array_equal(bins, np.bincount(data, minlength=256))


def test_accumulate(kernels):
    values = RANDOM.integers(0, 100, 2000).astype(np.float32)
    total, wide, largest = np.zeros(1, np.float32), np.zeros(1), np.zeros(1, np.int32)
    kernels["accumulate"].launch(
        grid=8, block=256, args=(values.size, values, total, wide, largest)
    )
    assert total[0] == values.sum()
    assert wide[0] == values.sum(dtype=np.float64)
    assert largest[0] == values.max()


def test_second_derivative(kernels):
    n = 500
    x = np.linspace(0, 10, n, dtype=np.float32)
    wave = np.sin(x)
    out = np.zeros(n, dtype=np.float32)
    kernels["second_derivative"].launch(grid=4, block=128, args=(np.int32(n), wave, out))
    c = np.array([-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12], dtype=np.float32)
    np.testing.assert_allclose(out[2:-2], np.convolve(wave, c, "valid"), atol=1e-5)
