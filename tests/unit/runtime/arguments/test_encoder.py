from __future__ import annotations

import ctypes
import struct
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbuild.backends.interface.devices import ArrayView
from kbuild.backends.interface.queue import ArrayInterface
from kbuild.errors import ConfigurationError
from kbuild.model import Param
from kbuild.runtime.arguments.arrays import DeviceArrays
from kbuild.runtime.arguments.encoder import ArgumentEncoder, Frame
from support.parameters import SIZES, VALUES, lay_out, record


def read(frame: Frame, params: tuple[Param, ...]) -> list[bytes]:
    return [
        ctypes.string_at(address, param.size)
        for address, param in zip(frame.pointers, params, strict=False)
    ]


def launch(encoder: ArgumentEncoder, values: Sequence[Any]) -> Frame | None:
    """Return the frame of a launch, or None if the encoder leaves the values to `convert`."""
    frames: list[Frame] = []
    return frames[0] if encoder.launch(values, lambda frame, _: frames.append(frame)) else None


@settings(deadline=None)
@given(st.data(), st.lists(st.sampled_from(sorted(SIZES)), max_size=6))
def test_launches_agree_with_checked_arguments(data: st.DataObject, types: list[str]) -> None:
    params = lay_out(types)
    values = [data.draw(VALUES[name]) for name in types]
    encoder = ArgumentEncoder(record(params))
    frame = launch(encoder, values)

    if frame is None:
        with pytest.raises(ConfigurationError, match="argument"):
            encoder.convert(values)
    else:
        assert read(frame, params) == read(encoder.make_frame(encoder.convert(values)), params)


def test_numbers_and_addresses_are_packed() -> None:
    params = lay_out(["int", "float", "float*", "double", "bool"])
    encoder = ArgumentEncoder(record(params))
    assert launch(encoder, (7, 0.5, 4096, 1, True)) is not None
    frame = launch(encoder, (np.int32(-7), np.float32(0.5), 4096, np.float64(1), False))
    assert frame is not None
    assert read(frame, params) == [
        struct.pack(code, value)
        for code, value in (("<i", -7), ("<f", 0.5), ("<Q", 4096), ("<d", 1), ("?", False))
    ]


def test_values_of_every_type_are_packed() -> None:
    params = (
        Param(index=0, offset=0, size=12, type="S"),
        Param(index=1, offset=16, size=16, type="long double"),
        Param(index=2, offset=32, size=8, type=None),
        Param(index=3, offset=40, size=1, type="char"),
    )
    values = (b"structure 12", np.longdouble(1.5), ctypes.c_void_p(64), np.uint8(200))
    frame = launch(ArgumentEncoder(record(params)), values)
    assert frame is not None
    assert read(frame, params) == [
        b"structure 12",
        np.longdouble(1.5).tobytes(),
        struct.pack("<Q", 64),
        b"\xc8",
    ]


@pytest.mark.parametrize(
    "values",
    [
        (1,),
        (1, 2, 3),
        (2**31, 1.0),
        ("1", 1.0),
        (1.0, 1.0),
        (np.int64(1), 1.0),
        (np.zeros(1, np.int32), 1.0),
    ],
)
def test_unsuitable_values_are_not_launched(values: tuple[Any, ...]) -> None:
    encoder = ArgumentEncoder(record(lay_out(["int", "float"])))
    for _ in range(2):
        assert launch(encoder, values) is None
        with pytest.raises(ConfigurationError):
            encoder.convert(values)


def test_parameters_that_overlap_are_rejected() -> None:
    params = (
        Param(index=0, offset=0, size=8, type="long"),
        Param(index=1, offset=4, size=4, type="int"),
    )
    with pytest.raises(ConfigurationError, match=r"argument 1 \(int\) overlaps the parameter"):
        ArgumentEncoder(record(params))


class OnDevice:
    def __init__(self, **interface: Any) -> None:
        self._interface = {"data": (4096, False), "typestr": "<f4", "strides": None} | interface

    @property
    def __device_array__(self) -> dict[str, Any]:
        if "missing" in self._interface:
            raise RuntimeError("the array is in host memory")
        return self._interface


def look_closer(value: object) -> ArrayView | None:
    """View an array at another address, so that tests can tell who read the address."""
    if not isinstance(value, OnDevice):
        return None
    return ArrayView(
        address=8192, dtype=np.dtype("f4"), is_contiguous=True, owner=value, read=lambda: b""
    )


@pytest.mark.parametrize(
    ("interface", "address"),
    [
        ({"data": ()}, 8192),
        ({"data": (None, False)}, 8192),
        ({"typestr": None}, 8192),
        ({}, 4096),
        ({"strides": (8,)}, 8192),
        ({"typestr": "<f8"}, 8192),
        ({"stream": 1}, 8192),
        ({"stream": 7}, 4096),
        ({"missing": True}, 8192),
    ],
)
def test_plain_arrays_on_the_device_are_not_viewed(interface: Any, address: int) -> None:
    params = lay_out(["float*", "int"])
    device_interface = ArrayInterface(attribute="__device_array__", stream=7, devices=())
    encoder = ArgumentEncoder(record(params), view=look_closer, interface=device_interface)
    frame = launch(encoder, (OnDevice(**interface), 3))
    assert frame is not None
    assert read(frame, params)[0] == address.to_bytes(8, "little")


def test_arrays_of_other_libraries_are_rejected_without_a_device() -> None:
    encoder = ArgumentEncoder(record(lay_out(["float*"])))
    assert launch(encoder, (OnDevice(),)) is None
    with pytest.raises(ConfigurationError, match="takes an array, an address"):
        encoder.convert((OnDevice(),))


def test_views_are_alive_during_a_launch() -> None:
    encoder = ArgumentEncoder(record(lay_out(["float*"])), view=lambda _: view())

    class Owner:
        pass

    owners: list[weakref.ref[Owner]] = []

    def view() -> ArrayView:
        owner = Owner()
        owners.append(weakref.ref(owner))
        return ArrayView(address=64, dtype=None, is_contiguous=True, owner=owner, read=lambda: b"")

    seen: list[Owner | None] = []
    assert encoder.launch((OnDevice(),), lambda *_: seen.append(owners[0]()))
    assert seen[0] is not None


def test_frames_are_aligned_and_reused() -> None:
    encoder = ArgumentEncoder(record(lay_out(["double", "int"])))
    first = launch(encoder, (1.0, 1))
    assert first is not None
    assert (first.pointers[0] or 1) % 256 == 0
    assert ctypes.addressof(first.pointers) == first.address
    assert launch(encoder, (2.0, 2)) is first

    nested: list[Frame | None] = []
    encoder.launch((3.0, 3), lambda *_: nested.append(launch(encoder, (4.0, 4))))
    assert nested[0] is not first


class HostMemory:
    """Device memory that is host memory, with a record of what was copied."""

    def __init__(self) -> None:
        self.kept: dict[int, Any] = {}

    def allocate(self, size: int) -> int:
        memory = ctypes.create_string_buffer(max(size, 1))
        self.kept[ctypes.addressof(memory)] = memory
        return ctypes.addressof(memory)

    def release(self, address: int) -> None:
        del self.kept[address]

    def copy_in(self, device: int, host: int, size: int) -> None:
        ctypes.memmove(device, host, size)

    def copy_out(self, host: int, device: int, size: int) -> None:
        ctypes.memmove(host, device, size)


def test_arrays_are_replaced_by_the_addresses_of_their_copies() -> None:
    params = lay_out(["float*", "float*", "int"])
    encoder = ArgumentEncoder(record(params))
    values = np.arange(4, dtype=np.float32)
    memory = HostMemory()
    with DeviceArrays(memory) as arrays:
        frame = encoder.make_frame(arrays.copy_in(encoder.convert((values, values, 4))))
        first, second, _ = (int.from_bytes(each, "little") for each in read(frame, params))
        assert first == second
        assert ctypes.string_at(first, 16) == values.tobytes()
        ctypes.memset(first, 0, 16)
        arrays.copy_back()
    assert (values == 0).all()
    assert memory.kept == {}
