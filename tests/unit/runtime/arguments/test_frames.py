from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.backends.interface.devices import ArrayInterface
from kbuild.model import KernelRecord, Param
from kbuild.runtime.arguments.encode import encode_arguments
from kbuild.runtime.arguments.frames import Frame, FrameLayout

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


def read(frame: Frame, params: tuple[Param, ...]) -> list[bytes]:
    return [
        ctypes.string_at(address, param.size)
        for address, param in zip(frame.pointers, params, strict=False)
    ]


@given(st.data(), st.lists(st.sampled_from(sorted(SIZES)), max_size=6))
def test_the_quick_way_is_the_checked_one(data: st.DataObject, types: list[str]) -> None:
    params = lay_out(types)
    values = [data.draw(VALUES[name]) for name in types]
    frame = FrameLayout(params).fill(values)

    if frame is not None:
        assert read(frame, params) == list(encode_arguments(record(params), values))


def test_what_is_common_is_quick() -> None:
    params = lay_out(["int", "float", "float*", "double", "bool"])
    layout = FrameLayout(params)
    assert layout.fill((7, 0.5, 4096, 1, True)) is not None
    frame = layout.fill((np.int32(-7), np.float32(0.5), 4096, np.float64(1), False))
    assert frame is not None
    assert read(frame, params) == [
        struct.pack(code, value)
        for code, value in (("<i", -7), ("<f", 0.5), ("<Q", 4096), ("<d", 1), ("?", False))
    ]


@pytest.mark.parametrize(
    "values",
    [(1,), (1, 2, 3), (2**31, 1.0), ("1", 1.0), (1.0, 1.0), (np.int64(1), 1.0), (True, 1.0)],
)
def test_what_is_doubtful_is_not(values: tuple[Any, ...]) -> None:
    assert FrameLayout(lay_out(["int", "float"])).fill(values) is None


class OnDevice:
    def __init__(self, **interface: Any) -> None:
        self._interface = {"data": (4096, False), "typestr": "<f4", "strides": None} | interface

    @property
    def __device_array__(self) -> dict[str, Any]:
        if "missing" in self._interface:
            raise RuntimeError("lies elsewhere")
        return self._interface


@pytest.mark.parametrize(
    ("interface", "is_quick"),
    [
        ({"data": ()}, False),
        ({"typestr": None}, False),
        ({}, True),
        ({"strides": (8,)}, False),
        ({"typestr": "<f8"}, False),
        ({"stream": 1}, False),
        ({"stream": 7}, True),
        ({"missing": True}, False),
    ],
)
def test_arrays_on_the_device_tell_their_address(interface: Any, is_quick: bool) -> None:
    params = lay_out(["float*", "int"])
    told = ArrayInterface(attribute="__device_array__", stream=7)
    frame = FrameLayout(params, told).fill((OnDevice(**interface), 3))
    assert (frame is not None) == is_quick
    assert FrameLayout(params).fill((OnDevice(), 3)) is None
    if frame is not None:
        assert read(frame, params)[0] == (4096).to_bytes(8, "little")


def test_frames_are_used_again_and_aligned() -> None:
    layout = FrameLayout(lay_out(["double", "int"]))
    frame, other = layout.fill((1.0, 1)), layout.fill((2.0, 2))
    assert frame is not None
    assert (frame.pointers[0] or 1) % 256 == 0
    assert ctypes.addressof(frame.pointers) == frame.address
    assert other is not frame
    layout.give_back(frame)
    assert layout.fill((3.0, 3)) is frame
