"""Comparing the code of NVIDIA's images: digests, nvdisasm, PTX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.code import MARK, Listing, drop_unused_labels
from kbuild.backends.protocol import ToolchainHints
from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.cubin_code import find_symbol_numbers, read_cubin_code
from kbuild.formats.device_elf import ELF_MAGIC
from kbuild.formats.ptx_code import read_ptx_code, read_ptx_lines
from kbuild.model import Command, ImageKind

LANGUAGES: Final[dict[ImageKind, str]] = {"elf": "SASS", "ptx": "PTX"}

_TOOL: Final = "nvdisasm"
# What nvcc tells the unnamed namespaces and static entities of sources apart with: a hash of
# the compilation, the source's name after its length, the first symbol that it defines.
_NAMESPACE: Final = re.compile(
    r"(\d{1,4})(?=_GLOBAL__N_|_INTERNAL_)|(?:(?<=\A)|(?<=\$))__nv_static_(\d{1,4})_"
)
_SOURCE: Final = re.compile(r"_?(?:GLOBAL__N_|INTERNAL_)?_[0-9a-f]{8}_(\d{1,4})_")
_NAMESPACED: Final = re.compile(r"[.$\w]*(?:_GLOBAL__N_|_INTERNAL_|__nv_static_)[.$\w]*")
_SECTION: Final = re.compile(r'\t\.section\t"?\.text\.(.*?)"?,"')
_INSTRUCTION: Final = re.compile(r"[\s{]*/\*([0-9a-f]{4,})\*/[\s{]*(.*?)\s*;?[\s}]*$")
_LABEL: Final = re.compile(r"([.$\w]+):$")
_REFERENCE: Final = re.compile(r"\.L_x_(\d+)")
# That a register is used again soon, and what encodes waiting and order.
_SCHEDULING: Final = re.compile(r"\.reuse\b|\s+[&?][\w={},]+")
_RETURN_ADDRESS: Final = re.compile(r"((?:IMAD\.)?U?MOV\b.*)\b0x([0-9a-f]+)$")
_INSTRUCTION_BYTES: Final = 16


def canonical_name(symbol: str) -> str:
    """See the protocol: an unnamed namespace is known by its source's name alone."""
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
    """See the protocol."""
    if kind == "ptx":
        return read_ptx_code(data, canonical_name)
    return read_cubin_code(data, canonical_name) if kind == "elf" else None


def read_text(data: Buffer, names: frozenset[str]) -> Listing | None:
    """PTX."""
    if bytes(data[: len(ELF_MAGIC)]) == ELF_MAGIC:
        return None
    return read_ptx_lines(data, names, canonical_name)


def disassemblers(hints: ToolchainHints, data: Buffer) -> tuple[str, ...]:  # noqa: ARG001
    """nvdisasm of wheels, CUDA_PATH, CUDAToolkit_ROOT, PATH, ``/usr/local``."""
    wheels = [
        folder for site in hints.site_packages for folder in sorted(site.glob("nvidia/*/bin"))
    ]
    variables = [hints.variable(name) for name in ("CUDA_PATH", "CUDAToolkit_ROOT")]
    named = [Path(value, "bin") for value in variables if value]
    paths = [str(folder / _TOOL) for folder in (*wheels, *named)]
    return (*paths, _TOOL, f"/usr/local/cuda/bin/{_TOOL}")


def disassembly_command(tool: Path, image: Path, data: Buffer, names: frozenset[str]) -> Command:
    """Labels come from the control flow, which ``-c`` alone has it print."""
    numbers = ",".join(map(str, find_symbol_numbers(data, names)))
    return Command(argv=(str(tool), "-c", "-fun", numbers, str(image)), inputs=(image,))


def read_disassembly(output: str, data: Buffer, names: frozenset[str]) -> Listing:  # noqa: ARG001
    """See the protocol."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in output.splitlines():
        section = _SECTION.match(line)
        if section:
            name = section[1]
        elif line.startswith("//----"):
            name = ""
        elif name in names:
            found.setdefault(name, []).append(line)
    return {name: tuple(_normalise(name, lines)) for name, lines in found.items()}


def _normalise(name: str, lines: list[str]) -> Iterator[str]:
    instructions = [_read_line(line) for line in lines]
    ends = sorted(
        address + _INSTRUCTION_BYTES
        for address, text in instructions
        if address is not None and "CALL." in text
    )
    kept: list[str] = []
    for address, text in instructions:
        if not text or text in (f"{name}:", f".text.{name}:"):
            continue
        kept.append(_clean(name, text, () if address is None else tuple(ends)))
    return drop_unused_labels(kept)


def _read_line(line: str) -> tuple[int | None, str]:
    """The address and the text of an instruction, or a label; anything else is empty."""
    match = _INSTRUCTION.match(line)
    if match:
        text = match[2].rstrip(" ;")
        return int(match[1], 16), "" if text.split()[-1:] == ["NOP"] else text
    label = _LABEL.match(line)
    return None, label[0] if label else ""


def _clean(name: str, text: str, ends: tuple[int, ...]) -> str:
    text = " ".join(_SCHEDULING.sub("", text).split())
    match = _RETURN_ADDRESS.match(text)
    if match and int(match[2], 16) in ends:
        text = f"{match[1]}`(return address)"
    text = _NAMESPACED.sub(lambda part: canonical_name(part[0]), text.replace(name, "@"))
    return _REFERENCE.sub(rf"L{MARK}\1", text)
