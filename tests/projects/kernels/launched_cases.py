"""The kernels that C++ hosts launch too, against numpy."""

import numpy as np

RANDOM = np.random.default_rng(20)


def test_scale_each_type(kernels):
    for dtype, spelled in ((np.float32, "float"), (np.float64, "double"), (np.int32, "int")):
        values = np.arange(300).astype(dtype)
        expected = values * 3
        kernels[f"scale<{spelled}>"].launch(grid=3, block=128, args=(300, 3, values))
        np.testing.assert_array_equal(values, expected)


def test_fill_overloads(kernels):
    floats = np.zeros(10, dtype=np.float32)
    ints = np.zeros(10, dtype=np.int32)
    kernels["fill(int, float, float*)"].launch(grid=1, block=32, args=(10, 2.5, floats))
    kernels["fill(int, int, int*)"].launch(grid=1, block=32, args=(10, 2, ints))
    assert (floats == 2.5).all()
    assert (ints == 3).all()


def test_advance_takes_a_struct(kernels):
    step_type = np.dtype(
        [("seconds", "f4"), ("drag", "f8"), ("substeps", "i4"), ("gravity", "f4", 3)], align=True
    )
    step = np.array((0.25, 0.125, 3, (0, 1, -2)), dtype=step_type)[()]
    positions = RANDOM.standard_normal((40, 3), dtype=np.float32)
    velocities = RANDOM.standard_normal((40, 3), dtype=np.float32)
    x, v = positions.copy(), velocities.copy()
    for _ in range(3):
        v = v * np.float32(1 - 0.125 * 0.25) + step["gravity"] * np.float32(0.25)
        x = x + v * np.float32(0.25)
    kernels["physics::v1::advance"].launch(grid=1, block=64, args=(40, step, positions, velocities))
    np.testing.assert_allclose(positions, x, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(velocities, v, rtol=1e-5, atol=1e-6)
