"""Compare the code of NVIDIA's images: digests, nvdisasm, and PTX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from kbuild.backends.interface.code import MARK, Listing, drop_unused_labels, hide_name
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.nvidia.cubin.code import find_symbol_numbers, read_cubin_code
from kbuild.formats.nvidia.ptx.code import read_ptx_code, read_ptx_lines
from kbuild.model import Command, ImageKind

LANGUAGES: Final[dict[ImageKind, str]] = {"elf": "SASS", "ptx": "PTX"}
LISTS_SELECTED: Final = True

_TOOL: Final = "nvdisasm"
# The suffix nvcc adds to unnamed namespaces and static entities: a hash of the compilation, the
# source's name after its length, and the first symbol that the source defines.
_NAMESPACE: Final = re.compile(
    r"(\d{1,4})(?=_GLOBAL__N_|_INTERNAL_)|(?:(?<=\A)|(?<=\$))__nv_static_(\d{1,4})_"
)
_SOURCE: Final = re.compile(r"_?(?:GLOBAL__N_|INTERNAL_)?_[0-9a-f]{8}_(\d{1,4})_")
_NAMESPACED: Final = re.compile(r"[.$\w]*(?:_GLOBAL__N_|_INTERNAL_|__nv_static_)[.$\w]*")
_SECTION: Final = re.compile(r'^\t\.section\t"?\.text\.(.*?)"?,".*$', re.MULTILINE)
_RULE: Final = "\n//----"
# The address and text of an instruction, or a label.
_LINE: Final = re.compile(
    r"^(?:[ \t{]*/\*([0-9a-f]{4,})\*/[ \t{]*(.*?)[ \t]*;?[ \t}]*|([.$\w]+:))$", re.MULTILINE
)
_NUMBERED: Final = re.compile(rf"L{MARK}\d+")
_REFERENCE: Final = re.compile(r"\.L_x_(\d+)")
# Hints that a register is used again soon, and the encoding of waits and order.
_SCHEDULING: Final = re.compile(r"\.reuse\b|\s+[&?][\w={},]+")
_RETURN_ADDRESS: Final = re.compile(r"((?:IMAD\.)?U?MOV\b.*)\b0x([0-9a-f]+)$")
_INSTRUCTION_BYTES: Final = 16


def canonical_name(symbol: str) -> str:
    """See `CodeReader`: the name identifies an unnamed namespace by its source's name only."""
    if "_GLOBAL__N_" not in symbol and "_INTERNAL_" not in symbol and "__nv_s" not in symbol:
        return symbol
    parts, position = [], 0
    for match in _NAMESPACE.finditer(symbol):
        end = match.end() + int(match[1] or match[2])
        if match.start() < position or end > len(symbol):
            continue
        source = _SOURCE.match(symbol, match.end(), end)
        name = symbol[source.end() : source.end() + int(source[1])] if source else ""
        parts.append(f"{symbol[position : match.start()]}<{name}>")
        position = end
    return "".join((*parts, symbol[position:]))


def read_code(data: Buffer, kind: ImageKind) -> CodeFacts | None:
    """See `CodeReader`."""
    if kind == "ptx":
        return read_ptx_code(data, canonical_name)
    return read_cubin_code(data, canonical_name) if kind == "elf" else None


def read_text(data: Buffer, names: frozenset[str]) -> Listing | None:
    """See `CodeReader`: PTX."""
    if bytes(data[: len(ELF_MAGIC)]) == ELF_MAGIC:
        return None
    return read_ptx_lines(data, names, canonical_name)


def disassemblers(hints: ToolchainHints, data: Buffer) -> tuple[str, ...]:  # noqa: ARG001
    """See `CodeReader`: nvdisasm of wheels, CUDA_PATH, CUDAToolkit_ROOT, PATH, ``/usr/local``."""
    wheels = [
        directory for site in hints.site_packages for directory in sorted(site.glob("nvidia/*/bin"))
    ]
    variables = [hints.variable(name) for name in ("CUDA_PATH", "CUDAToolkit_ROOT")]
    named = [Path(value, "bin") for value in variables if value]
    paths = [str(directory / _TOOL) for directory in (*wheels, *named)]
    return (*paths, _TOOL, f"/usr/local/cuda/bin/{_TOOL}")


def disassembly_command(tool: Path, image: Path, data: Buffer, names: frozenset[str]) -> Command:
    """See `CodeReader`: labels come from the control flow, which only ``-c`` prints."""
    numbers = ",".join(map(str, find_symbol_numbers(data, names)))
    return Command(argv=(str(tool), "-c", "-fun", numbers, str(image)), inputs=(image,))


def read_disassembly(output: str, data: Buffer, names: frozenset[str]) -> Listing:  # noqa: ARG001
    """See `CodeReader`."""
    starts = list(_SECTION.finditer(output))
    ends = [*(match.start() for match in starts[1:]), len(output)]
    found: dict[str, tuple[str, ...]] = {}
    for match, end in zip(starts, ends, strict=True):
        if match[1] in names:
            following = output.find(_RULE, match.end(), end)
            stop = end if following < 0 else following
            found[match[1]] = tuple(_normalize(match[1], output, match.end(), stop))
    return found


def _normalize(name: str, output: str, start: int, stop: int) -> Iterator[str]:
    """Yield the normalized lines of a function from the output between the two positions."""
    own = (f"{name}:", f".text.{name}:")
    kept: list[_Line] = []
    ends: set[int] = set()
    for match in _LINE.finditer(output, start, stop):
        address, text, label = match.groups("")
        line = _clean_own(name, text or label) if name in text else _clean(text or label)
        if not line.text or label in own:
            continue
        kept.append(line)
        if line.is_call:
            ends.add(int(address, 16) + _INSTRUCTION_BYTES)
    shown = [line.after_call if line.value in ends else line.text for line in kept]
    return drop_unused_labels(_number_labels(shown))


def _number_labels(lines: Sequence[str]) -> list[str]:
    """Return the lines with labels numbered from 0 in each function."""
    numbers: dict[str, str] = {}

    def count(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"L{MARK}{len(numbers)}")

    return [_NUMBERED.sub(count, line) if MARK in line else line for line in lines]


class _Line(NamedTuple):
    """An instruction or a label without noise.

    Attributes:
        value: The number that the instruction moves; -1 if it moves no number.
        after_call: The line to show instead if the number is where a call returns to.
    """

    text: str
    is_call: bool = False
    value: int = -1
    after_call: str = ""


# Lines repeat a lot, within one side and between both.
@lru_cache(maxsize=1 << 14)
def _clean(text: str) -> _Line:
    """Return the line without noise and without its function's name."""
    return _clean_own("", text)


def _clean_own(name: str, text: str) -> _Line:
    text = text.rstrip(" ;")
    if text.split()[-1:] == ["NOP"]:
        return _Line("")
    is_call = "CALL." in text
    text = " ".join(_SCHEDULING.sub("", text).split())
    move = _RETURN_ADDRESS.match(text)
    shown = _name_parts(name, text)
    if move is None:
        return _Line(shown, is_call)
    return _Line(shown, is_call, int(move[2], 16), _name_parts(name, f"{move[1]}`(return address)"))


def _name_parts(name: str, text: str) -> str:
    """Return the text with canonical names, and with marks in front of labels' numbers."""
    text = hide_name(text, name)
    text = _NAMESPACED.sub(lambda part: canonical_name(part[0]), text)
    return _REFERENCE.sub(rf"L{MARK}\1", text)
