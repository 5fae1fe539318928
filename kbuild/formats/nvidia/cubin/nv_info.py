"""``.nv.info``, in which a cubin describes its functions as lists of attributes.

A record consists of a format byte, an attribute byte, and a 16-bit value. For the format
``SVAL``, the value is the size of the data that follows. The section ``.nv.info`` contains
numbers by symbol, and ``.nv.info.<function>`` describes one function. ``.nv.compat`` has the
same encoding.

Sources: the attribute names that ``cuobjdump -elf`` prints, and for the others, dumps that
other people published. The encoding is not documented. It was compared with the output of
``cuobjdump`` on files of toolkits 11.8 to 13.4.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from kbuild.errors import InputError
from kbuild.values import dataclass

Dim3: TypeAlias = tuple[int, int, int]
Layout: TypeAlias = tuple[tuple[int, int], ...]

_NVAL, _BVAL, _HVAL, _SVAL = 1, 2, 3, 4

MAX_THREADS: Final = 0x05
PARAM_CBANK: Final = 0x0A
REQNTID: Final = 0x10
FRAME_SIZE: Final = 0x11
MIN_STACK_SIZE: Final = 0x12
KPARAM_INFO: Final = 0x17
CBANK_PARAM_SIZE: Final = 0x19
REGCOUNT: Final = 0x2F
CUDA_API_VERSION: Final = 0x37
CTA_PER_CLUSTER: Final = 0x3D
MAX_CLUSTER_RANK: Final = 0x3F
KPARAM_INFO_V2: Final = 0x45
NUM_BARRIERS: Final = 0x4C
# An attribute of .nv.compat.
ACCELERATOR_TARGET: Final = 0x09

# The attributes of a function whose data is needed.
_READ: Final = frozenset(
    {PARAM_CBANK, MAX_THREADS, REQNTID, CTA_PER_CLUSTER, MAX_CLUSTER_RANK, CUDA_API_VERSION}
)
# The stack size of recursive functions.
_UNKNOWN: Final = 0xFFFF_FFFF

_RECORD: Final = struct.Struct("<BBH")
_PAIR: Final = struct.Struct("<II")
_THREE: Final = struct.Struct("<III")
_WORD: Final = struct.Struct("<I")
# One parameter: format, attribute, size of the data; index, ordinal, offset, and a packed word.
# Bits 18 to 31 of this word are the size; in version 2, the lower half is.
_PARAM_RECORD: Final = struct.Struct("<BBHIHHI")
_PARAM_CODES: Final = (KPARAM_INFO, KPARAM_INFO_V2)
_PARAMS: Final = re.compile(rb"(?:\x04[\x17\x45]\x0c\x00.{12})+", re.DOTALL)
# A number for a function: format, attribute, size of the data; symbol, number.
_COUNT_RECORD: Final = struct.Struct("<BBHII")
_COUNTS: Final = re.compile(rb"(?:\x04[\x11\x12\x2f]\x08\x00.{8})+", re.DOTALL)
# symbol, offset in the bank, size
_PARAM_CBANK: Final = struct.Struct("<IHH")


@dataclass(frozen=True, slots=True, kw_only=True)
class CubinParam:
    """One kernel parameter. ``offset`` counts from ``params_offset`` in constant bank 0.

    Parameters are aligned relative to the start of the bank. If the alignment of a parameter is
    larger than that of ``params_offset``, its ``offset`` depends on the architecture. CUTLASS,
    for example, has parameters with an alignment of 64 bytes.
    """

    index: int
    offset: int
    size: int


class FunctionInfo(NamedTuple):
    """The content of ``.nv.info.<function>``. A field is None if its attribute is missing.

    ``layout`` contains the (offset, size) of each parameter. ``params_offset`` is the start of
    the parameters in constant bank 0. ``toolkit`` is the toolkit version times ten.
    """

    params: tuple[CubinParam, ...] = ()
    layout: Layout = ()
    params_offset: int | None = None
    params_size: int = 0
    max_threads: Dim3 | None = None
    required_block: Dim3 | None = None
    cluster: Dim3 | None = None
    max_cluster_rank: int | None = None
    barriers: int | None = None
    toolkit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleInfo:
    """The content of ``.nv.info``: numbers of functions, by symbol table index."""

    registers: dict[int, int]
    frame_bytes: dict[int, int]
    stack_bytes: dict[int, int]


def iterate_attributes(content: memoryview) -> Iterator[tuple[int, int, memoryview]]:
    """Yield each record as (attribute, value, data); either the value is 0 or the data is empty.

    Raises:
        InputError: A record is cut off or has an unknown format, so its end is unknown.
    """
    position, end, empty = 0, len(content), content[:0]
    while position < end:
        if position + _RECORD.size > end:
            raise InputError("the last attribute is cut off")
        form, code, value = _RECORD.unpack_from(content, position)
        position += _RECORD.size
        if form == _SVAL:
            if position + value > end:
                raise InputError(f"attribute {code:#x} is cut off")
            yield code, 0, content[position : position + value]
            position += value
        elif form in (_NVAL, _BVAL, _HVAL):
            yield code, value & 0xFF if form == _BVAL else value, empty
        else:
            raise InputError(f"attribute {code:#x} has the unknown format {form}")


def read_function_info(content: memoryview) -> FunctionInfo:
    """Read ``.nv.info.<function>``.

    Raises:
        InputError: The attributes are damaged.
    """
    run, values, bodies = _read_attributes(bytes(content))
    bank = _unpack(_PARAM_CBANK, bodies, PARAM_CBANK)
    rank = _unpack(_WORD, bodies, MAX_CLUSTER_RANK)
    toolkit = _unpack(_WORD, bodies, CUDA_API_VERSION)
    params, layout = _read_params(run)
    return FunctionInfo(
        params=params,
        layout=layout,
        params_offset=bank[1] if bank else None,
        params_size=values.get(CBANK_PARAM_SIZE, bank[2] if bank else 0),
        max_threads=_read_dim3(bodies, MAX_THREADS),
        required_block=_read_dim3(bodies, REQNTID),
        cluster=_read_dim3(bodies, CTA_PER_CLUSTER),
        max_cluster_rank=rank[0] if rank else None,
        barriers=values.get(NUM_BARRIERS),
        toolkit=toolkit[0] if toolkit else None,
    )


def _read_attributes(content: bytes) -> tuple[bytes, dict[int, int], dict[int, bytes]]:
    """Split the attributes of a function.

    This repeats the loop of `iterate_attributes`, without a generator and with a shortcut for
    parameters, because a library has a million attributes. Half of them are parameters, which
    follow each other, and are equal in the images of one source.

    Returns:
        The records of all parameters as one string, the values of the other attributes, and the
        data of those that are needed.
    """
    run = b""
    values: dict[int, int] = {}
    bodies: dict[int, bytes] = {}
    unpack, position, end = _RECORD.unpack_from, 0, len(content)
    while position < end:
        if position + _RECORD.size > end:
            raise InputError("the last attribute is cut off")
        form, code, value = unpack(content, position)
        following = position + _RECORD.size
        if code in _PARAM_CODES:
            params = _PARAMS.match(content, position)
            if params is None:
                what = "cut off" if following + value > end else "too short"
                raise InputError(f"the attribute of a parameter is {what}")
            run += params[0]
            following = params.end()
        elif form == _SVAL:
            if following + value > end:
                raise InputError(f"attribute {code:#x} is cut off")
            values[code] = value
            if code in _READ:
                bodies[code] = content[following : following + value]
            following += value
        elif form in (_NVAL, _BVAL, _HVAL):
            values[code] = value & 0xFF if form == _BVAL else value
        else:
            raise InputError(f"attribute {code:#x} has the unknown format {form}")
        position = following
    return run, values, bodies


@lru_cache(maxsize=1 << 12)
def _read_params(run: bytes) -> tuple[tuple[CubinParam, ...], Layout]:
    # The file lists the last parameter first.
    params = sorted(map(_read_param, _PARAM_RECORD.iter_unpack(run)), key=lambda p: p.index)
    if any(param.index != index for index, param in enumerate(params)):
        raise InputError("the parameters are not numbered consecutively from 0")
    return tuple(params), tuple((param.offset, param.size) for param in params)


def _read_param(record: tuple[int, ...]) -> CubinParam:
    _, code, _, _, index, offset, packed = record
    # Version 2 is used if the parameters have more than 4352 bytes, for which 14 bits are not
    # sufficient. There, the size is a separate 16-bit number, before alignment and space.
    size = packed & 0xFFFF if code == KPARAM_INFO_V2 else packed >> 18
    return CubinParam(index=index, offset=offset, size=size)


def read_module_info(content: memoryview) -> ModuleInfo:
    """Read ``.nv.info``.

    Raises:
        InputError: The attributes are damaged.
    """
    by_code: dict[int, dict[int, int]] = {REGCOUNT: {}, FRAME_SIZE: {}, MIN_STACK_SIZE: {}}
    # Shortcut: the section usually starts with three numbers for each function.
    run = _COUNTS.match(content)
    end = run.end() if run else 0
    for _, code, _, symbol, number in _COUNT_RECORD.iter_unpack(content[:end]):
        if number != _UNKNOWN:
            by_code[code][symbol] = number
    for code, _, body in iterate_attributes(content[end:]):
        if code in (REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE):
            if len(body) < _PAIR.size:
                raise InputError(f"attribute {code:#x} is too short")
            symbol, number = _PAIR.unpack_from(body)
            if number != _UNKNOWN:
                by_code[code][symbol] = number
    return ModuleInfo(
        registers=by_code[REGCOUNT],
        frame_bytes=by_code[FRAME_SIZE],
        stack_bytes=by_code[MIN_STACK_SIZE],
    )


def _read_dim3(bodies: dict[int, bytes], code: int) -> Dim3 | None:
    numbers = _unpack(_THREE, bodies, code)
    return (numbers[0], numbers[1], numbers[2]) if numbers else None


def _unpack(layout: struct.Struct, bodies: dict[int, bytes], code: int) -> tuple[int, ...] | None:
    body = bodies.get(code)
    if body is None:
        return None
    if len(body) < layout.size:
        raise InputError(f"attribute {code:#x} is too short")
    return layout.unpack_from(body)
