"""``.nv.info``: what a cubin says of its functions, as a list of attributes.

A record is a format byte, an attribute byte and a 16-bit value; the value of format
``SVAL`` is the size of what follows.  ``.nv.info`` itself gives numbers by symbol,
``.nv.info.<function>`` describes one function.  ``.nv.compat`` has the same encoding.

Sources: the names are those that ``cuobjdump -elf`` prints; where it prints none, from
dumps that others published.  The encoding is not documented: it was compared with that
listing on files of toolkits 11.8 to 13.4.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from kbuild.errors import InputError

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
# .nv.compat
ACCELERATOR_TARGET: Final = 0x09

# Every attribute that ptxas or nvlink was seen to write: what is not among these is listed.
KNOWN: Final = frozenset(
    bytes.fromhex(
        "04 05 0a 0f 10 11 12 17 19 1b 1c 1d 1e 23 28 29 2a 2e 2f 30 31 34 35 36 37 38 39 3d 3e 3f"
        "41 44 45 46 4a 4c 50 53 54 55 5b 5f 66 67 6b 6d"
    )
)

# Those of a function whose bodies are read.
_READ: Final = frozenset(
    {PARAM_CBANK, MAX_THREADS, REQNTID, CTA_PER_CLUSTER, MAX_CLUSTER_RANK, CUDA_API_VERSION}
)
# The stack of what recurses.
_UNKNOWN: Final = 0xFFFF_FFFF

_RECORD: Final = struct.Struct("<BBH")
_PAIR: Final = struct.Struct("<II")
_THREE: Final = struct.Struct("<III")
_WORD: Final = struct.Struct("<I")
# One parameter: format, attribute, size of what follows; index, ordinal, offset, and what is
# packed: bits 18 to 31 are the size, in version 2 the lower half.
_PARAM_RECORD: Final = struct.Struct("<BBHIHHI")
_PARAM_CODES: Final = (KPARAM_INFO, KPARAM_INFO_V2)
_PARAMS: Final = re.compile(rb"(?:\x04[\x17\x45]\x0c\x00.{12})+", re.DOTALL)
# A number of a function: format, attribute, size of what follows; symbol, number.
_COUNT_RECORD: Final = struct.Struct("<BBHII")
_COUNTS: Final = re.compile(rb"(?:\x04[\x11\x12\x2f]\x08\x00.{8})+", re.DOTALL)
# symbol, offset in the bank, size
_PARAM_CBANK: Final = struct.Struct("<IHH")


@dataclass(frozen=True, slots=True, kw_only=True)
class CubinParam:
    """One kernel parameter; ``offset`` counts from ``params_offset`` in constant bank 0.

    A parameter is aligned there, in the bank: where its alignment is larger than that of
    ``params_offset``, as of CUTLASS's 64-byte ones, ``offset`` depends on the architecture.
    """

    index: int
    offset: int
    size: int


class FunctionInfo(NamedTuple):
    """What ``.nv.info.<function>`` says of a function; None where it says nothing.

    ``params_offset`` is where the parameters start in constant bank 0, ``toolkit`` ten
    times the version of the toolkit.  ``layout`` has offset and size of each parameter.
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
    attributes: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleInfo:
    """What ``.nv.info`` says of functions, by the index of their symbols."""

    registers: dict[int, int]
    frame_bytes: dict[int, int]
    stack_bytes: dict[int, int]
    attributes: frozenset[int]


def iterate_attributes(content: memoryview) -> Iterator[tuple[int, int, memoryview]]:
    """The records as (attribute, value, bytes); one of value and bytes is empty.

    Raises InputError where a record is cut off or has a format that is not known, for
    then nothing tells where the next one begins.
    """
    position, end, none = 0, len(content), content[:0]
    while position < end:
        if position + _RECORD.size > end:
            raise InputError("its last attribute is cut off")
        form, code, value = _RECORD.unpack_from(content, position)
        position += _RECORD.size
        if form == _SVAL:
            if position + value > end:
                raise InputError(f"attribute {code:#x} is cut off")
            yield code, 0, content[position : position + value]
            position += value
        elif form in (_NVAL, _BVAL, _HVAL):
            yield code, value & 0xFF if form == _BVAL else value, none
        else:
            raise InputError(f"attribute {code:#x} has format {form}, which is not known")


def read_function_info(content: memoryview) -> FunctionInfo:
    """``.nv.info.<function>``; raises InputError where it is not sound."""
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
        attributes=frozenset(values),
    )


def _read_attributes(content: bytes) -> tuple[bytes, dict[int, int], dict[int, bytes]]:
    """The records of all parameters, the values of other attributes, and what follows them.

    The loop of `iterate_attributes` without its generator: a library has a million of them.
    Half are parameters, one after the other, and the images of one source repeat them.
    """
    run = b""
    values: dict[int, int] = {}
    bodies: dict[int, bytes] = {}
    unpack, position, end = _RECORD.unpack_from, 0, len(content)
    while position < end:
        if position + _RECORD.size > end:
            raise InputError("its last attribute is cut off")
        form, code, value = unpack(content, position)
        following = position + _RECORD.size
        if code in _PARAM_CODES:
            params = _PARAMS.match(content, position)
            if params is None:
                what = "cut off" if following + value > end else "too short"
                raise InputError(f"a parameter's attribute is {what}")
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
            raise InputError(f"attribute {code:#x} has format {form}, which is not known")
        position = following
    return run, values, bodies


@lru_cache(maxsize=1 << 12)
def _read_params(run: bytes) -> tuple[tuple[CubinParam, ...], Layout]:
    # They are listed from the last one to the first.
    params = sorted(map(_read_param, _PARAM_RECORD.iter_unpack(run)), key=lambda p: p.index)
    if any(param.index != index for index, param in enumerate(params)):
        raise InputError("its parameters are not numbered one after the other")
    return tuple(params), tuple((param.offset, param.size) for param in params)


def _read_param(record: tuple[int, ...]) -> CubinParam:
    _, code, _, _, index, offset, packed = record
    # V2 is written where the parameters take more than 4352 bytes: 14 bits do not hold a
    # size.  It is a number of its own there, and the alignment and the space follow it.
    size = packed & 0xFFFF if code == KPARAM_INFO_V2 else packed >> 18
    return CubinParam(index=index, offset=offset, size=size)


def read_module_info(content: memoryview) -> ModuleInfo:
    """``.nv.info``; raises InputError where it is not sound."""
    by_code: dict[int, dict[int, int]] = {REGCOUNT: {}, FRAME_SIZE: {}, MIN_STACK_SIZE: {}}
    codes = set()
    # Mostly three numbers for each function, one after the other.
    run = _COUNTS.match(content)
    end = run.end() if run else 0
    for _, code, _, symbol, number in _COUNT_RECORD.iter_unpack(content[:end]):
        codes.add(code)
        if number != _UNKNOWN:
            by_code[code][symbol] = number
    for code, _, body in iterate_attributes(content[end:]):
        codes.add(code)
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
        attributes=frozenset(codes),
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
