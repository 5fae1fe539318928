"""What CUB's code for blocks and warps needs to be C++.

A few of its statements are inline PTX. Each of them becomes a call of a function in
``kbuild_cpu/cccl/ptx.h``, with the operands of the statement as arguments: first, the outputs. So
do the single instructions of ``kbuild_cpu/ptx.h``, which kernels use to find their lane. All
other inline assembly stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from kbuild.backends.cpu.cccl import NO_DEVICE_ALGORITHMS
from kbuild.cxx.lexer import Token
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit
from kbuild.cxx.tokens import join, match_brackets
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError
from kbuild.values import dataclass

_STATEMENT: Final = re.compile(r"\basm\b(?:\s|^#[^\n]*\n|\bvolatile\b)*(?=\()", re.MULTILINE)
# g++ rejects an alias that has the name of the class that it is for; nvcc accepts it.
_ALIAS: Final = re.compile(
    r"\busing (BlockExchange|BlockRakingLayout|BlockScan|WarpReduce|WarpScan) = (?=\1<)"
)
_DEVICE_ALGORITHMS: Final = re.compile(
    r"\b(?:cub\s*::\s*)?Device(?:AdjacentDifference|Copy|Find|For|Histogram|Memcpy|Merge|MergeSort"
    r"|Partition|RadixSort|Reduce|RunLengthEncode|Scan|SegmentedRadixSort|SegmentedReduce"
    r"|SegmentedScan|SegmentedSort|Select|TopK|Transform)\s*::\s*\w+(?=\s*[(<])"
)
_CONFIGURATION: Final = "/cub/config.cuh"
_REGISTERS: Final = r"{ (?:\.reg \.\w+ \w+; )+"
_END: Final = r"(?: ?})?"
# Bytes go through a register, because the smallest operands have 16 bits.
_BYTE: Final = r"{ \.reg \.u8 datum; "
_NARROW: Final = r"cvt\.u8\.u16 datum, %1; "
_WIDEN: Final = r"(?: cvt\.u16\.u8 %0, datum;)?"
_DATA: Final = r"(?:%\d|{%\d, %\d(?:, %\d, %\d)?}|datum)"
_SHUFFLE: Final = r"shfl\.sync\.(?P<way>up|down)\.b32"
_TWO: Final = (
    rf"mov\.b64 {{lo, hi}}, %1; {_SHUFFLE} lo\|p, lo, (?P<operands>%2, %3, %[45]); "
    r"shfl\.sync\.(?P=way)\.b32 hi\|p, hi, (?P=operands);"
)
_JOIN: Final = r"mov\.b64 (?:r0|%0), {lo, hi};"
_ADD: Final = r" @p add\.\w+ r0, r0, %4; mov\.\w+ %0, r0;"
_ADD_OWN: Final = r" @p add\.\w+ %0, %0, (?:r0|%1);"
_READ: Final = "read_"
# Statements, with single spaces, and the functions that they become.
_FUNCTIONS: Final = (
    (re.compile(rf"(?:{_BYTE})?ld\.[\w.]+ {_DATA}, \[%\d\];{_WIDEN}{_END}"), "load"),
    (re.compile(rf"(?:{_BYTE}{_NARROW})?st\.[\w.]+ \[%0\], {_DATA};{_END}"), "store"),
    (re.compile(r"bfe\.u32 %0, %1, %2, %3;"), "extract_bits"),
    (re.compile(r"shl\.b32 %0, %1, %2;"), "shift_left"),
    (re.compile(r"shr\.b32 %0, %1, %2;"), "shift_right"),
    (re.compile(r"bfind\.u32 %0, %1;"), "find_top_bit"),
    (
        re.compile(r"mov\.u32 %0, %%(?P<name>laneid|lanemask_(?:eq|lt|le|ge|gt));"),
        f"{_READ}{{name}}",
    ),
    (re.compile(rf"{_SHUFFLE} %0, %1, %2, %3, %4;"), "shuffle_{way}"),
    (re.compile(rf"{_REGISTERS}{_SHUFFLE} r0\|p, %1, %2, %3, %5;{_ADD}{_END}"), "add_{way}"),
    (re.compile(rf"{_REGISTERS}{_TWO} {_JOIN}{_ADD}{_END}"), "add_{way}"),
    (re.compile(rf"{_REGISTERS}{_TWO} {_JOIN}{_ADD_OWN}{_END}"), "add_own_{way}"),
    (re.compile(rf"{_REGISTERS}mov\.b64 %0, %1; {_TWO} {_JOIN}{_ADD_OWN}{_END}"), "add_own_{way}"),
    (
        re.compile(
            rf"{_REGISTERS}and\.b32 %0, %1, %2; setp\.ne\.u32 p, %0, 0; "
            rf"vote\.ballot\.sync\.b32 %0, p, 0xffffffff; @!p not\.b32 %0, %0;{_END}"
        ),
        "match_bit",
    ),
)


def translate_cub(code: Unit) -> Iterator[Edit]:
    """Yield the edits that preprocessed text needs if it uses CUB."""
    text = code.text
    for found in _ALIAS.finditer(text):
        yield Edit(start=found.end(), end=found.end(), text="cub::")
    for statement in _find_statements(code):
        operands = ", ".join(_list_operands(statement.tokens))
        newlines = "\n" * text.count("\n", statement.start, statement.end)
        call = f"::kbuild_cpu::ptx::{statement.function}({operands}){newlines}"
        yield Edit(start=statement.start, end=statement.end, text=call)


def list_lane_reads(code: Unit) -> list[Token]:
    """Return the first words of the statements that read the number of the lane."""
    return [
        Token("asm", statement.start)
        for statement in _find_statements(code)
        if statement.function.startswith(_READ)
    ]


@dataclass(frozen=True, slots=True)
class _Statement:
    """An asm statement that becomes a call.

    Attributes:
        start: The position of the first character.
        end: The position after the last one.
        tokens: What is in the parentheses.
        function: The function to call.
    """

    start: int
    end: int
    tokens: list[Token]
    function: str


def _find_statements(code: Unit) -> Iterator[_Statement]:
    for found in _STATEMENT.finditer(code.text):
        close = code.find_close(found.end())
        if close is None:
            continue
        tokens = code.list_tokens(found.end() + 1, close)
        function = _find_function(_join_literals(tokens))
        if function:
            yield _Statement(found.start(), close + 1, tokens, function)


def reject_device_algorithms(text: str) -> None:
    """Raise SourceError if preprocessed text calls an algorithm of CUB for devices."""
    found = _DEVICE_ALGORITHMS.search(text) if _CONFIGURATION in text else None
    if found:
        name = "".join(found[0].split()).removeprefix("cub::")
        raise SourceError(
            f"{locate(text, found.start())}: the cpu backend does not support 'cub::{name}', "
            f"{NO_DEVICE_ALGORITHMS}"
        )


def _join_literals(tokens: list[Token]) -> str:
    """Return the text of the literals before the first ``:``, with single spaces."""
    literals = takewhile(lambda token: token.text.startswith('"'), tokens)
    text = "".join(token.text[1:-1] for token in literals)
    return " ".join(text.replace("\\n", " ").split())


def _find_function(statement: str) -> str | None:
    for pattern, function in _FUNCTIONS:
        found = pattern.fullmatch(statement)
        if found:
            return function.format(**found.groupdict())
    return None


def _list_operands(tokens: list[Token]) -> Iterator[str]:
    """Yield the expressions in parentheses after the constraints."""
    partners = match_brackets(tokens)
    index = 1
    while index < len(tokens):
        if tokens[index].text == "(":
            yield join(tokens[index + 1 : partners[index]])
            index = partners[index]
        index += 1
