"""Both launchers, with a launch function that records its arguments."""

from __future__ import annotations

import ctypes
import struct
import sys
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbuild.backends.interface.devices import ArrayView
from kbuild.backends.interface.queue import ArrayInterface, LaunchCall
from kbuild.errors import LaunchError
from kbuild.model import Param
from kbuild.runtime.arguments.encoder import ArgumentEncoder
from kbuild.runtime.arguments.launchers import (
    IS_COMPILED,
    LAUNCHED,
    LAUNCHED_IN_STREAM_OF_ARRAYS,
    NOT_LAUNCHED,
    Launcher,
    PythonLauncher,
    make_launcher,
)
from support.parameters import SIZES, VALUES, lay_out, record

STREAM_OFFSET = 8
DEVICE = 2  # kDLCUDA
needs_compiled = pytest.mark.skipif(
    not IS_COMPILED, reason="this kbuild was built without the compiled launcher"
)


class Runtime:
    """A launch function that keeps the configuration, and the bytes of the arguments."""

    def __init__(self, params: tuple[Param, ...], *, is_driver: bool = True) -> None:
        self.launches: list[tuple[bytes, list[bytes]]] = []
        self.statuses: list[int] = []
        self.failures: list[tuple[int, bool]] = []
        self.can_recover = False
        self._params = params
        count = 4 if is_driver else 3
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p,) * count)
        self._entry = kind(self._launch_by_driver if is_driver else self._launch)
        self.call = LaunchCall(
            entry=ctypes.cast(self._entry, ctypes.c_void_p).value or 0,
            function=77,
            config=bytes(range(24)),
            stream_offset=STREAM_OFFSET,
            is_driver=is_driver,
            prepare=None,
            keep=None,
            recover=self._recover,
            owner=None,
        )

    def _launch_by_driver(self, config: int, function: int, arguments: int, extra: Any) -> int:
        assert extra is None
        return self._launch(function, config, arguments)

    def _launch(self, function: int, config: int, arguments: int) -> int:
        assert function == 77
        pointers = (ctypes.c_void_p * len(self._params)).from_address(arguments)
        values = [
            ctypes.string_at(pointer, param.size)
            for pointer, param in zip(pointers, self._params, strict=True)
        ]
        self.launches.append((ctypes.string_at(config, 24), values))
        return self.statuses.pop(0) if self.statuses else 0

    def _recover(self, status: int, is_first: bool) -> bool:
        self.failures.append((status, is_first))
        if self.can_recover and is_first:
            return True
        raise LaunchError(f"status {status}")


INTERFACE = ArrayInterface(attribute="__device_array__", stream=7, devices=((DEVICE, 0),))


def make_both(
    params: tuple[Param, ...], runtime: Runtime, encoder: ArgumentEncoder | None = None
) -> list[Launcher]:
    encoder = encoder or ArgumentEncoder(record(params), interface=INTERFACE)
    made: list[Launcher] = [PythonLauncher(encoder, runtime.call, None)]
    if IS_COMPILED:
        made.append(make_launcher(encoder, runtime.call, INTERFACE, None))
    return made


@settings(deadline=None)
@given(st.data(), st.lists(st.sampled_from(sorted(SIZES)), max_size=6))
def test_launchers_agree(data: st.DataObject, types: list[str]) -> None:
    params = lay_out(types)
    values = [data.draw(VALUES[name]) for name in types]
    runtime = Runtime(params)
    outcomes = {launcher.launch(*values) for launcher in make_both(params, runtime)}
    assert len(outcomes) == 1
    if outcomes == {LAUNCHED}:
        assert all(launch == runtime.launches[0] for launch in runtime.launches)
        assert runtime.launches[0][0] == runtime.call.config


@pytest.mark.parametrize("is_driver", [True, False])
def test_arguments_reach_the_launch_function(is_driver: bool) -> None:
    params = lay_out(["int", "float", "float*"])
    runtime = Runtime(params, is_driver=is_driver)
    for launcher in make_both(params, runtime):
        assert launcher.launch(3, 0.5, 4096) == LAUNCHED
        assert runtime.launches.pop()[1] == [
            struct.pack("<i", 3),
            struct.pack("<f", 0.5),
            struct.pack("<Q", 4096),
        ]


def test_wrong_counts_are_not_launched() -> None:
    params = lay_out(["int"])
    runtime = Runtime(params)
    for launcher in make_both(params, runtime):
        assert launcher.launch() == NOT_LAUNCHED
        assert launcher.launch(1, 2) == NOT_LAUNCHED
    assert runtime.launches == []


def test_many_large_parameters_are_passed() -> None:
    params = tuple(Param(index=i, offset=128 * i, size=128, type="Big") for i in range(70))
    runtime = Runtime(params)
    values = [bytes([i]) * 128 for i in range(70)]
    for launcher in make_both(params, runtime):
        assert launcher.launch(*values) == LAUNCHED
        assert runtime.launches.pop()[1] == values


def test_a_failed_launch_can_be_tried_again() -> None:
    params = lay_out(["int"])
    runtime = Runtime(params)
    runtime.can_recover = True
    for launcher in make_both(params, runtime):
        runtime.statuses = [201]
        assert launcher.launch(5) == LAUNCHED
        assert [values for _, values in runtime.launches] == [[struct.pack("<i", 5)]] * 2
        runtime.launches.clear()
        runtime.statuses = [201, 719]
        with pytest.raises(LaunchError, match="status 719"):
            launcher.launch(5)
        assert runtime.failures[-2:] == [(201, True), (719, False)]
        runtime.launches.clear()


class OnDevice:
    def __init__(self, **changes: Any) -> None:
        self._facts = {"data": (4096, False), "strides": None, "typestr": "<f4"} | changes

    @property
    def __device_array__(self) -> dict[str, Any]:
        return self._facts


@needs_compiled
@pytest.mark.parametrize(
    ("changes", "outcome", "stream"),
    [
        ({}, LAUNCHED, None),
        ({"stream": None}, LAUNCHED, None),
        ({"stream": 99}, LAUNCHED_IN_STREAM_OF_ARRAYS, 99),
        ({"strides": (8,)}, NOT_LAUNCHED, None),
        ({"typestr": "<f8"}, NOT_LAUNCHED, None),
        ({"data": ("no", False)}, NOT_LAUNCHED, None),
        ({"data": 5}, NOT_LAUNCHED, None),
        ({"stream": "s"}, NOT_LAUNCHED, None),
        ({"stream": 2**64}, NOT_LAUNCHED, None),
    ],
)
def test_arrays_choose_the_stream(
    changes: dict[str, Any], outcome: int, stream: int | None
) -> None:
    params = lay_out(["float*", "float*"])
    runtime = Runtime(params)
    encoder = ArgumentEncoder(record(params), interface=INTERFACE)
    launcher = make_launcher(encoder, runtime.call, INTERFACE, lambda _: None)
    assert launcher.launch(OnDevice(**changes), OnDevice(**changes)) == outcome
    if outcome != NOT_LAUNCHED:
        config, values = runtime.launches[0]
        expected = bytearray(runtime.call.config)
        if stream is not None:
            struct.pack_into("<Q", expected, STREAM_OFFSET, stream)
        assert config == expected
        assert values == [struct.pack("<Q", 4096)] * 2


@needs_compiled
def test_arrays_of_two_streams_are_not_launched() -> None:
    params = lay_out(["float*", "float*"])
    runtime = Runtime(params)
    encoder = ArgumentEncoder(record(params), interface=INTERFACE)
    launcher = make_launcher(encoder, runtime.call, INTERFACE, lambda _: None)
    assert launcher.launch(OnDevice(stream=5), OnDevice(stream=6)) == NOT_LAUNCHED
    fixed = make_launcher(encoder, runtime.call, INTERFACE, None)
    assert fixed.launch(OnDevice(stream=7), OnDevice()) == LAUNCHED
    assert fixed.launch(OnDevice(stream=5), OnDevice()) == NOT_LAUNCHED


class _Tensor(ctypes.Structure):
    # DLTensor of dlpack.h
    _fields_ = (
        ("data", ctypes.c_uint64),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Tensor))
_CURRENT_STREAM = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_uint64)
)


class _Api(ctypes.Structure):
    # DLPackExchangeAPI of dlpack.h
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("unused", ctypes.c_void_p * 4),
        ("from_object", _FROM_OBJECT),
        ("current_stream", _CURRENT_STREAM),
    )


class Tensor:
    """An array that offers DLPack's table of functions."""

    def __init__(self, **changes: Any) -> None:
        facts = {"device_type": DEVICE, "code": 2, "bits": 32, "shape": (2, 3), "strides": (3, 1)}
        self.facts: dict[str, Any] = facts | changes


def _describe(tensor: Tensor, out: Any) -> int:
    facts = tensor.facts
    numbers = {name: facts[name] for name in ("device_type", "code", "bits")}
    shape = (ctypes.c_int64 * len(facts["shape"]))(*facts["shape"])
    strides = facts["strides"] and (ctypes.c_int64 * len(shape))(*facts["strides"])
    tensor.facts["kept"] = (shape, strides)
    out[0] = _Tensor(
        data=4096,
        device=facts.get("device", 0),
        ndim=len(shape),
        lanes=facts.get("lanes", 1),
        shape=shape,
        strides=strides,
        byte_offset=facts.get("byte_offset", 0),
        **numbers,
    )
    return int(facts.get("status", 0))


def _find_stream(device_type: int, device: int, out: Any) -> int:
    assert (device_type, device) == (DEVICE, 0)
    out[0] = 55
    return 0


_API = _Api(
    major=1,
    minor=3,
    from_object=_FROM_OBJECT(_describe),
    current_stream=_CURRENT_STREAM(_find_stream),
)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new_capsule.restype = ctypes.py_object
_NAME = b"dlpack_exchange_api"
Tensor.__dlpack_c_exchange_api__ = _new_capsule(  # type: ignore[attr-defined]
    ctypes.addressof(_API), _NAME, None
)


@needs_compiled
@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({}, 4096),
        ({"byte_offset": 8}, 4104),
        ({"strides": None}, 4096),
        ({"shape": (1, 3), "strides": (99, 1)}, 4096),
        ({"shape": (0, 3), "strides": (99, 5)}, 4096),
        ({"code": 4, "bits": 16}, 4096),  # bfloat16, which NumPy does not have
        ({"code": 2, "bits": 64}, None),
        ({"code": 0}, None),
        ({"code": 5, "bits": 64}, None),
        ({"code": 3}, None),
        ({"lanes": 4}, None),
        ({"strides": (1, 2)}, None),
        ({"device_type": 1}, None),
        ({"device": 1}, None),
        ({"status": -1}, None),
    ],
)
def test_tensors_are_passed_in_their_stream(changes: dict[str, Any], address: int | None) -> None:
    params = lay_out(["float*"])
    runtime = Runtime(params)
    encoder = ArgumentEncoder(record(params), interface=INTERFACE)
    launcher = make_launcher(encoder, runtime.call, INTERFACE, lambda _: None)
    outcome = launcher.launch(Tensor(**changes))
    if address is None:
        assert outcome == NOT_LAUNCHED
    else:
        assert outcome == LAUNCHED_IN_STREAM_OF_ARRAYS
        config, values = runtime.launches[0]
        assert struct.unpack_from("<Q", config, STREAM_OFFSET) == (55,)
        assert values == [struct.pack("<Q", address)]


def test_python_launcher_leaves_streams_of_arrays_to_others() -> None:
    params = lay_out(["int"])
    runtime = Runtime(params)
    encoder = ArgumentEncoder(record(params))

    def find_stream(values: Sequence[Any]) -> int | None:
        return 5 if values[0] == 3 else None

    launcher = PythonLauncher(encoder, runtime.call, find_stream)
    assert launcher.launch(3) == NOT_LAUNCHED
    assert launcher.launch(0) == LAUNCHED


def test_views_are_alive_during_a_launch() -> None:
    class Owner:
        pass

    class Array:
        pass

    owners: list[weakref.ref[Owner]] = []

    def view(_: object) -> ArrayView:
        owner = Owner()
        owners.append(weakref.ref(owner))
        return ArrayView(address=64, dtype=None, is_contiguous=True, owner=owner, read=lambda: b"")

    params = lay_out(["float*"])
    runtime = Runtime(params)
    seen: list[Owner | None] = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p,) * 4)

    def look(*_: object) -> int:
        seen.append(owners[-1]())
        return 0

    entry = kind(look)
    runtime.call = replace(
        runtime.call, entry=ctypes.cast(entry, ctypes.c_void_p).value or 0, owner=entry
    )
    encoder = ArgumentEncoder(record(params), view=view, interface=INTERFACE)
    for launcher in make_both(params, runtime, encoder):
        assert launcher.launch(Array()) == LAUNCHED
        assert seen.pop() is not None
        assert owners[-1]() is None


def test_owners_of_arrays_are_kept_after_a_launch() -> None:
    class Array:
        pass

    def view(array: object) -> ArrayView:
        return ArrayView(address=64, dtype=None, is_contiguous=True, owner=array, read=lambda: b"")

    params = lay_out(["float*", "int"])
    runtime = Runtime(params)
    kept: list[tuple[object, ...]] = []
    runtime.call = replace(runtime.call, keep=lambda *owners: kept.append(owners))
    encoder = ArgumentEncoder(record(params), view=view, interface=INTERFACE)
    for launcher in make_both(params, runtime, encoder):
        array = Array()
        alive = weakref.ref(array)
        assert launcher.launch(array, 3) == LAUNCHED
        del array
        assert alive() is not None
        kept.clear()
        assert alive() is None
        assert launcher.launch(3) == NOT_LAUNCHED
        runtime.statuses = [719]
        with pytest.raises(LaunchError):
            launcher.launch(64, 3)
        assert kept == []


@needs_compiled
def test_compiled_launchers_own_what_they_use() -> None:
    params = lay_out(["int"])
    runtime = Runtime(params)
    encoder = ArgumentEncoder(record(params))

    class Function:
        pass

    function = Function()
    alive = weakref.ref(function)
    launcher = make_launcher(encoder, replace(runtime.call, owner=function), INTERFACE, None)
    del function
    assert alive() is not None
    before = sys.getrefcount(encoder)
    assert launcher.launch(1) == LAUNCHED
    assert sys.getrefcount(encoder) == before
    del launcher
    assert alive() is None
