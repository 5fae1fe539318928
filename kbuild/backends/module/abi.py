"""The structures of ``kbuild/module.h`` in ctypes; a test compares the layouts."""

from __future__ import annotations

import ctypes
from typing import Final

MODULE_ABI: Final = 1
COPY_TO_DEVICE: Final = 1
COPY_TO_HOST: Final = 2

_STATUS: Final = ctypes.c_int
_ADDRESS: Final = ctypes.c_void_p


class Dim3(ctypes.Structure):
    """``struct kbuild_dim3``."""

    _fields_ = (("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32))


class LaunchConfig(ctypes.Structure):
    """``struct kbuild_launch_config``."""

    _fields_ = (
        ("grid", Dim3),
        ("block", Dim3),
        ("shared_bytes", ctypes.c_size_t),
        ("stream", _ADDRESS),
        ("cluster", Dim3),
        ("cooperative", ctypes.c_uint32),
        ("programmatic_dependent_launch", ctypes.c_uint32),
        ("priority", ctypes.c_int32),
    )


class Kernel(ctypes.Structure):
    """``struct kbuild_kernel``."""

    _fields_ = (
        ("handle", _ADDRESS),
        ("device_name", ctypes.c_char_p),
        ("params", _ADDRESS),
        ("param_count", ctypes.c_uint32),
        ("container", ctypes.c_uint32),
    )


class Container(ctypes.Structure):
    """``struct kbuild_container``."""

    _fields_ = (
        ("data", _ADDRESS),
        ("size", ctypes.c_uint64),
        ("wrapper", _ADDRESS),
    )


class Variable(ctypes.Structure):
    """``struct kbuild_variable``."""

    _fields_ = (
        ("shadow", _ADDRESS),
        ("device_name", ctypes.c_char_p),
        ("size", ctypes.c_uint64),
        ("container", ctypes.c_uint32),
        ("kind", ctypes.c_uint32),
    )


class Runtime(ctypes.Structure):
    """``struct kbuild_runtime``; ctypes releases the interpreter lock during calls."""

    _fields_ = (
        ("device_count", ctypes.CFUNCTYPE(_STATUS, ctypes.POINTER(ctypes.c_int))),
        ("resolve", ctypes.CFUNCTYPE(_STATUS, _ADDRESS)),
        (
            "launch",
            ctypes.CFUNCTYPE(
                _STATUS, _ADDRESS, ctypes.POINTER(LaunchConfig), ctypes.POINTER(_ADDRESS)
            ),
        ),
        (
            "allocate",
            ctypes.CFUNCTYPE(_STATUS, ctypes.POINTER(_ADDRESS), ctypes.c_size_t),
        ),
        ("release", ctypes.CFUNCTYPE(_STATUS, _ADDRESS)),
        (
            "copy",
            ctypes.CFUNCTYPE(_STATUS, _ADDRESS, _ADDRESS, ctypes.c_size_t, ctypes.c_int),
        ),
        ("synchronize", ctypes.CFUNCTYPE(_STATUS)),
        ("error_message", ctypes.CFUNCTYPE(ctypes.c_char_p, _STATUS)),
    )


class Module(ctypes.Structure):
    """``struct kbuild_module``."""

    _fields_ = (
        ("abi", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("target", ctypes.c_char_p),
        ("backend", ctypes.c_char_p),
        ("record", _ADDRESS),
        ("record_size", ctypes.c_uint64),
        ("kernels", ctypes.POINTER(Kernel)),
        ("kernel_count", ctypes.c_uint64),
        ("containers", ctypes.POINTER(Container)),
        ("container_count", ctypes.c_uint64),
        ("runtime", ctypes.POINTER(Runtime)),
        ("variables", ctypes.POINTER(Variable)),
        ("variable_count", ctypes.c_uint64),
    )
