"""The streams of array libraries: in which stream a library uses its arrays now."""

from __future__ import annotations

import ctypes
from typing import Any, Final

from kbuild.backends.cuda.driver import ARRAY_INTERFACE

_DLPACK_CUDA: Final = 2
_EXCHANGE_API: Final = "__dlpack_c_exchange_api__"
_CAPSULE_NAME: Final = b"dlpack_exchange_api"
_HOST_TYPES: Final = (int, float, bool, str, bytes, type(None))


class _ExchangeApi(ctypes.Structure):
    """``DLPackExchangeAPI`` of DLPack 1.3."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("managed_from_object", ctypes.c_void_p),
        ("managed_to_object", ctypes.c_void_p),
        ("tensor_from_object", ctypes.c_void_p),
        (
            "current_stream",
            ctypes.PYFUNCTYPE(
                ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
            ),
        ),
    )


def find_current_stream(value: Any, device: int) -> int | None:
    """Return the address of the stream that the library of an array uses now.

    None if ``value`` is not an array on ``device``, or if its library does not say.
    """
    kind = type(value)
    if kind in _HOST_TYPES:
        return None
    capsule = getattr(kind, _EXCHANGE_API, None)
    if capsule is not None:
        return _ask_exchange_api(capsule, device) if _is_on_device(value) else None
    try:
        stated = getattr(value, ARRAY_INTERFACE, None)
        stream = stated.get("stream") if stated else None
    except Exception:  # noqa: BLE001 - libraries raise any class for arrays in host memory
        return None
    return stream if isinstance(stream, int) else None


def _is_on_device(value: Any) -> bool:
    return int(value.__dlpack_device__()[0]) == _DLPACK_CUDA


def _ask_exchange_api(capsule: Any, device: int) -> int | None:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    table = ctypes.cast(get(capsule, _CAPSULE_NAME), ctypes.POINTER(_ExchangeApi)).contents
    if table.major != 1:
        return None
    stream = ctypes.c_void_p()
    if table.current_stream(_DLPACK_CUDA, device, ctypes.byref(stream)) != 0:
        return None
    return stream.value or 0
