from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from kbuild.errors import ConfigurationError
from kbuild.model import KernelRecord, Param
from kbuild.runtime.arguments.converters import ArrayArgument
from kbuild.runtime.arguments.encoder import ArgumentEncoder, require_sequence

SIZES = {"char": 1, "bool": 1, "unsigned char": 1, "short": 2, "int": 4, "unsigned int": 4}
SIZES |= {"float": 4, "_Float16": 2, "long double": 16, "S": 12, "Color": 4}


def make_kernel(*types: str | None, size: int | None = None) -> KernelRecord:
    params = tuple(
        Param(
            index=i,
            offset=16 * i,
            size=size or SIZES.get((t or "").removesuffix(" const"), 8),
            type=t,
            name=f"p{i}",
        )
        for i, t in enumerate(types)
    )
    return KernelRecord(
        handle="k",
        device_name="k",
        display="k()",
        linkage="external",
        container=0,
        params=params,
    )


def encode(type_: str | None, value: object, size: int | None = None) -> object:
    """Return the argument as an array, or as the bytes of the parameter."""
    encoder = ArgumentEncoder(make_kernel(type_, size=size))
    (argument,) = encoder.convert([value])
    return argument if isinstance(argument, ArrayArgument) else encoder.pack([argument])


def check(kernel: KernelRecord, values: list[object]) -> None:
    ArgumentEncoder(kernel).convert(values)


@pytest.mark.parametrize(
    ("type_", "value", "code"),
    [
        ("int", 7, "i"),
        ("int const", -(2**31), "i"),
        ("unsigned int", 2**32 - 1, "I"),
        ("unsigned long", 2**64 - 1, "Q"),
        ("long long", -1, "q"),
        ("bool", True, "?"),
        ("bool", 0, "?"),
        ("int", True, "i"),
        ("float", 2, "f"),
        ("double", 0.1, "d"),
        ("float", float("inf"), "f"),
        ("_Float16", 0.5, "e"),
        ("float", np.float32(2.5), "f"),
        ("int", np.int32(-3), "i"),
        ("int", ctypes.c_int(-3), "i"),
        ("double", ctypes.c_double(3), "d"),
        ("char", np.int8(-3), "b"),
        ("bool", np.bool_(True), "?"),  # noqa: FBT003
    ],
)
def test_numbers_are_packed_as_the_parameter_type(type_: str, value: object, code: str) -> None:
    number = getattr(value, "value", value)
    assert encode(type_, value) == struct.pack(f"<{code}", number)


def test_char_accepts_unsigned_numbers() -> None:
    assert encode("char", np.uint8(200)) == b"\xc8"


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("int", 2**31, "a number in the range of numpy.int32, not int 2147483648"),
        ("unsigned int", -1, "in the range of numpy.uint32"),
        ("unsigned char", 256, "in the range of numpy.uint8"),
        ("float", 1e40, "in the range of numpy.float32"),
        ("float", 10**400, "in the range of numpy.float32"),
        ("int", 1.0, "an int or numpy.int32, not float 1.0"),
        ("bool", 2, "takes a bool, not int 2"),
        ("bool", 1.0, "takes a bool or numpy.bool_"),
        ("int", "1", "not str"),
        ("int", None, "not None"),
        ("int", b"abcd", "not bytes of 4 bytes"),
        ("int", np.int64(1), "not numpy.int64 of 8 bytes"),
        ("int", np.uint32(1), "not numpy.uint32"),
        ("int", np.float32(1), "not numpy.float32"),
        ("float", np.float64(1), "not numpy.float64"),
        ("int", ctypes.c_uint(1), "takes an int"),
        ("int", ctypes.c_float(1), "c_float"),
        ("int", np.zeros(1, np.int32), "not an array of int32"),
        ("long double", 1.0, "takes numpy.float128"),
    ],
)  # fmt: skip
def test_unsuitable_values_are_rejected(type_: str, value: object, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        encode(type_, value)
    assert str(caught.value).startswith(f"k(): argument 0 'p0' ({type_}) takes ")
    assert expected in str(caught.value)


@pytest.mark.parametrize("type_", ["float*", "float const*", "float volatile*", "float* const"])
def test_arrays_must_match_the_pointee(type_: str) -> None:
    argument = encode(type_, np.zeros(3, np.float32))
    assert isinstance(argument, ArrayArgument)
    assert argument.is_output == (type_ != "float const*")
    with pytest.raises(ConfigurationError, match=r"numpy\.float32, not an array of float64"):
        encode(type_, np.zeros(3))


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [
        ("void*", "f8"),
        ("S*", "i2"),
        ("float**", "u8"),
        ("float* const*", "i8"),
        ("char const*", "u1"),
        ("char const*", "i1"),
        ("bool*", "?"),
        ("long long*", "i8"),
        ("(unnamed)*", "f4"),
        ("void (*)(int)", "f4"),
        (None, "f4"),
    ],
)
def test_arrays_are_accepted_for_pointers(type_: str | None, dtype: str) -> None:
    assert isinstance(encode(type_, np.zeros(2, dtype)), ArrayArgument)


@pytest.mark.parametrize(
    ("type_", "array"),
    [
        ("float**", np.zeros(1, np.float32)),
        ("void*", np.array([object()])),
        ("void*", np.zeros(1, ">f4")),
        ("bool*", np.zeros(1, np.uint8)),
        ("S", np.zeros(3, np.float32)),
    ],
)
def test_unsuitable_arrays_are_rejected(type_: str, array: object) -> None:
    with pytest.raises(ConfigurationError, match="argument 0"):
        encode(type_, array)


@pytest.mark.parametrize("value", [64, np.uint64(64), np.int64(64), ctypes.c_void_p(64)])
def test_addresses_are_accepted_for_pointers(value: object) -> None:
    assert encode("float*", value) == struct.pack("<Q", 64)


def test_none_is_a_null_pointer() -> None:
    assert encode("float*", None) == encode(None, None) == bytes(8)


@pytest.mark.parametrize(
    "value", [-1, 2**64, True, 1.0, b"12345678", np.int32(1), ctypes.c_long(1)]
)
def test_unsuitable_values_are_rejected_for_pointers(value: object) -> None:
    with pytest.raises(ConfigurationError, match="takes an a"):
        encode("float*", value)


def test_structures_are_checked_by_size() -> None:
    class Mode(ctypes.Structure):
        _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_int * 2))

    structured = np.zeros((), np.dtype([("a", "i4", 3)]))[()]
    taken: tuple[object, ...] = (bytes(12), Mode(), structured)
    for value in taken:
        assert encode("S", value) == bytes(12)
    assert encode("Color", np.int32(5)) == struct.pack("<i", 5)
    assert encode(None, np.float32(1), size=4) == struct.pack("<f", 1)
    assert encode(None, ctypes.c_int(1), size=4) == struct.pack("<i", 1)
    refused: tuple[object, ...] = (bytes(11), np.int64(1), 5, 1.5, None, "text")
    for value in refused:
        with pytest.raises(ConfigurationError, match=r"\(S\) takes 12 bytes"):
            encode("S", value)
    with pytest.raises(ConfigurationError, match=r"\(4 bytes\) takes 4 bytes: a numpy scalar"):
        encode(None, 5, size=4)


def test_the_number_of_arguments_is_checked() -> None:
    with pytest.raises(ConfigurationError, match=r"k\(\) takes 2 arguments, not 1"):
        check(make_kernel("int", "int"), [1])


def test_partly_overlapping_outputs_are_rejected() -> None:
    data = np.zeros(10, np.float32)
    kernel = make_kernel("float*", "float*")
    check(kernel, [data, data])
    check(kernel, [data[::2], data[1::2]])
    check(make_kernel("float const*", "float*"), [data[1:], data[:-1]])
    with pytest.raises(ConfigurationError, match="argument 0 and argument 1 overlap"):
        check(kernel, [data[1:], data[:-1]])


def test_single_argument_without_a_list_is_rejected() -> None:
    values: tuple[object, ...] = (3, np.zeros(2, np.float32), "text", None)
    for value in values:
        with pytest.raises(ConfigurationError, match=r"k\(\): args must be a sequence"):
            require_sequence(make_kernel("int"), value)


def test_none_is_accepted_for_nullptr_t() -> None:
    assert encode("decltype(nullptr)", None) == bytes(8)


def test_wide_characters_accept_numbers() -> None:
    assert encode("wchar_t", 65, size=4) == struct.pack("<i", 65)
    assert encode("char16_t", 65, size=2) == struct.pack("<H", 65)


def test_masked_arrays_are_rejected() -> None:
    masked = np.ma.masked_array(np.zeros(2, np.float32), mask=[True, False])

    with pytest.raises(ConfigurationError, match="takes an array without a mask"):
        encode("float*", masked)
    assert isinstance(encode("float*", masked.filled(0)), ArrayArgument)
