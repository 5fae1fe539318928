"""Parameters of kernels and values for them, for tests of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kbuild.model import KernelRecord, Param

SIZES = {
    "int": 4,
    "float": 4,
    "double": 8,
    "bool": 1,
    "unsigned char": 1,
    "long": 8,
    "float*": 8,
    "_Float16": 2,
}
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-(2**33), 2**33),
    "float": st.floats(width=32) | st.integers(-5, 5) | st.floats(width=32).map(np.float32),
    "double": st.floats(),
    "bool": st.booleans() | st.just(2),
    "unsigned char": st.integers(-1, 256) | st.integers(0, 255).map(np.uint8),
    "long": st.integers(-(2**64), 2**64) | st.integers(-5, 5).map(np.int64),
    "float*": st.integers(-1, 2**64) | st.none(),
    "_Float16": st.floats(width=16),
}


def lay_out(types: list[str]) -> tuple[Param, ...]:
    params = []
    end = 0
    for index, name in enumerate(types):
        offset = -(-end // SIZES[name]) * SIZES[name]
        params.append(Param(index=index, offset=offset, size=SIZES[name], type=name))
        end = offset + SIZES[name]
    return tuple(params)


def record(params: tuple[Param, ...]) -> KernelRecord:
    return KernelRecord(
        handle="k",
        device_name="k",
        display="k",
        linkage="external",
        container=0,
        params=params,
    )
