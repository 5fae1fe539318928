"""Kernels that host code cannot name, and one that two sources instantiate."""

import ctypes

import numpy as np


class Scale(ctypes.Structure):
    _fields_ = (("factor", ctypes.c_int),)


def test_static_kernels_of_both_sources(kernels):
    found = sorted(name for name in kernels if "own" in name)
    assert len(found) == 2, found
    results = set()
    for name in found:
        out = np.zeros(1, np.int32)
        kernels[name].launch(grid=1, block=1, args=(out,))
        results.add(int(out[0]))
    assert results == {1, 9}


def test_template_of_both_sources(kernels):
    values = np.arange(4, dtype=np.int32)
    (name,) = (name for name in kernels if "apply" in name)
    kernels[name].launch(grid=1, block=4, args=(Scale(3), values))
    np.testing.assert_array_equal(values, [0, 3, 6, 9])
