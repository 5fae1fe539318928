"""Compare the code of AMD's images: digests and llvm-objdump."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from kbuild.backends.hip.installation import list_roots
from kbuild.backends.interface.code import MARK, Listing, drop_unused_labels, hide_name
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.backends.objdump import Function, Places, iterate_functions
from kbuild.facts import CodeFacts
from kbuild.formats.amd.code_object.code import read_object_code
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import EM_AMDGPU
from kbuild.formats.elf.device import DeviceElf
from kbuild.model import Command, ImageKind

LANGUAGES: Final[dict[ImageKind, str]] = {"elf": "GCN ISA"}
LISTS_SELECTED: Final = True

_TOOL: Final = "llvm-objdump"
_DIRECTORIES: Final = ("lib/llvm/bin", "llvm/bin", "bin")
# Debian's programs, newest first; older ones do not support newer devices.
_SYSTEM: Final = Path("/usr/lib")
_SOURCE_HASH: Final = re.compile(r"\.(?:intern|static)\.[0-9a-f]+")
_COMPILATION: Final = re.compile(r"__hip_cuid_[0-9a-f]+")
_INSTRUCTION: Final = re.compile(
    r"\s*(\S.*?)\s*// ([0-9A-F]{8,}):(?: [0-9A-F]{8})*(?: <(.+?)(?:\+0x([0-9a-f]+))?>)?\s*$"
)
# Instructions that only wait or pad.
_SCHEDULING: Final = frozenset({"s_nop", "s_delay_alu", "s_code_end"})
_LOW_HALF: Final = re.compile(r"(s_add_u32 s\d+, s\d+), (\S+)$")
_HIGH_HALF: Final = re.compile(r"(s_addc_u32 s\d+, s\d+), (\S+)$")
_MOST_NAMES_BYTES: Final = 1 << 16


class _Line(NamedTuple):
    text: str
    address: int
    symbol: str | None
    offset: int


def canonical_name(symbol: str) -> str:
    """See `CodeReader`: the name without hashes of sources and compilations."""
    return _COMPILATION.sub("__hip_cuid_", _SOURCE_HASH.sub("", symbol))


def read_code(data: Buffer, kind: ImageKind) -> CodeFacts | None:
    """See `CodeReader`."""
    return read_object_code(data) if kind == "elf" else None


def read_text(data: Buffer, names: frozenset[str]) -> Listing | None:  # noqa: ARG001 - machine code
    """See `CodeReader`: an image is never text."""
    return None


def disassemblers(hints: ToolchainHints, data: Buffer) -> tuple[str, ...]:  # noqa: ARG001
    """See `CodeReader`: llvm-objdump beside ROCm's compiler, the system's newest, or on PATH."""
    roots = [root for root in list_roots(hints) if root != Path("/usr")]
    paths = [str(root / directory / _TOOL) for root in roots for directory in _DIRECTORIES]
    versions = sorted(_SYSTEM.glob(f"llvm-*/bin/{_TOOL}"), key=_version, reverse=True)
    return (*paths, *map(str, versions), _TOOL)


def _version(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.parts[-3]))


def disassembly_command(tool: Path, image: Path, data: Buffer, names: frozenset[str]) -> Command:  # noqa: ARG001
    """See `CodeReader`: only the functions, if their names fit into the command line."""
    symbols = ",".join(sorted(names))
    is_short = len(symbols) < _MOST_NAMES_BYTES
    selection = (f"--disassemble-symbols={symbols}",) if is_short else ("-d",)
    return Command(argv=(str(tool), *selection, str(image)), inputs=(image,))


def read_disassembly(output: str, data: Buffer, names: frozenset[str]) -> Listing:
    """See `CodeReader`."""
    places = Places(DeviceElf(data, EM_AMDGPU, "code object"))
    return {
        function.name: tuple(_normalize(function, places))
        for function in iterate_functions(output, names)
    }


def _normalize(function: Function, places: Places) -> Iterator[str]:
    lines = [_Line(m[1], int(m[2], 16), m[3], int(m[4] or "0", 16)) for m in _match(function)]
    labels = {line.offset: 0 for line in lines if line.symbol == function.name}
    start = lines[0].address if lines else 0
    base = 0
    kept: list[str] = []
    for number, line in enumerate(lines):
        if line.address - start in labels:
            kept.append(f"L{MARK}{line.address - start}:")
        if line.text.partition(" ")[0] in _SCHEDULING:
            continue
        text, base = _resolve_address(line, lines[number + 1 :][:1], base, places)
        if line.symbol is not None:
            text = _resolve_branch(line, function.name)
        kept.append(canonical_name(hide_name(text, function.name)))
    return drop_unused_labels(kept)


def _match(function: Function) -> Iterator[re.Match[str]]:
    for line in function.lines:
        match = _INSTRUCTION.match(line)
        if match:
            yield match


def _resolve_branch(line: _Line, own: str) -> str:
    """Return a branch with its target instead of its distance."""
    operation = line.text.rpartition(" ")[0]
    if line.symbol == own:
        return f"{operation} L{MARK}{line.offset}"
    return f"{operation} {line.symbol}" + (f"+{line.offset:#x}" if line.offset else "")


def _resolve_address(
    line: _Line, following: list[_Line], base: int, places: Places
) -> tuple[str, int]:
    """Return the text with a name instead of an address, and the base of the next distance.

    Code forms addresses from the program counter and a distance in two halves.
    """
    if line.text.startswith("s_getpc_b64") and following:
        return line.text, following[0].address
    low = _LOW_HALF.match(line.text) if base else None
    if low:
        distance = int(low[2], 0) & 0xFFFF_FFFF
        target = base + distance - (distance >> 31 << 32)
        return f"{low[1]}, lo({places.describe(target)})", -target
    high = _HIGH_HALF.match(line.text) if base < 0 else None
    if high:
        return f"{high[1]}, hi({places.describe(-base)})", 0
    return line.text, base
