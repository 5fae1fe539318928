"""Comparing the code of CPU images: digests, objdump.

Images are linked: code refers to what lies elsewhere by distances, which change with all
that lies between.  Bytes that differ are a question; the answer is in the instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.interface.code import MARK, Listing, drop_unused_labels
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.backends.objdump import Function, Places, iterate_functions
from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.code import SHF_WRITE, STT_FUNC, STT_OBJECT, ElfCode, digest
from kbuild.formats.elf.device import DeviceElf
from kbuild.model import Command, ImageKind

LANGUAGES: Final[dict[ImageKind, str]] = {"elf": "assembly"}
LISTS_SELECTED: Final = False

_TOOLS: Final = ("objdump", "llvm-objdump")
_CROSS: Final = {183: "aarch64-linux-gnu-objdump"}
# What `name_apart` gives static kernels before a device link.
_SOURCE_HASH: Final = re.compile(r"\.kbuild_[0-9a-f]{8}\b")
# The unit that kbuild adds to every image; its tables are the kernels' own facts.
_ADAPTER: Final = re.compile(
    r"_ZN12_GLOBAL__N_1(?:\d+(?:run_\d+|attach|builtins)E|L\d+(?:kernels|params|types|names)(?:_\d+)?E)"
    r"|kbuild_cpu_\w+|completed\.\d|_DYNAMIC|__dso_handle|__(?:CTOR|DTOR|FRAME|TMC)_\w+|_init|_fini"
)
_INSTRUCTION: Final = re.compile(r"\s*([0-9a-f]+):\s+(.*?)\s*$")
_RELATIVE: Final = re.compile(r"-?0x[0-9a-f]+\(%rip\)")
_COMMENT: Final = re.compile(r"\s+(?:#|//)\s+(?:0x)?([0-9a-f]+)\b.*$")
_TARGET: Final = re.compile(r"\b(?:0x)?([0-9a-f]+) <(.+?)(?:\+0x([0-9a-f]+))?>$")
_PADDING: Final = re.compile(
    r"(?:(?:cs|data16|rex\.W|xchg %ax,%ax)\s*)*(?:nop\w?\b.*|int3|xchg\s+%ax,%ax)?$"
)
# What an instruction reads, by the end of its name, else by its widest register.
_SCALARS: Final = (("ss", 4), ("sd", 8))
_REGISTERS: Final = (("%zmm", 64), ("%ymm", 32), ("%xmm", 16))
_GENERAL: Final = 8


def canonical_name(symbol: str) -> str:
    """See the protocol: hashes of sources are no part of a name."""
    return _SOURCE_HASH.sub("", symbol)


def read_code(data: Buffer, kind: ImageKind) -> CodeFacts | None:
    """See the protocol; what code finds in read-only data without a name is its context."""
    if kind != "elf":
        return None
    elf = _open(data)
    code = ElfCode(elf)
    objects = tuple(code.spans(STT_OBJECT))
    constants = (code.content(section) for section in code.sections(named=b".rodata"))
    functions = tuple(
        (span.name, code.digest(span))
        for span in code.spans(STT_FUNC)
        if not _ADAPTER.match(span.name)
    )
    return CodeFacts(
        functions=functions,
        data=tuple(
            (span.name, code.digest(span)) for span in objects if not _ADAPTER.match(span.name)
        ),
        # Without symbols nothing is known of the parts.
        context=digest(constants if functions else (data,)),
    )


def _open(data: Buffer) -> DeviceElf:
    return DeviceElf(data, _read_machine(data), "CPU image")


def _read_machine(data: Buffer) -> int:
    return int.from_bytes(bytes(data[18:20]), "little")


def read_text(data: Buffer, names: frozenset[str]) -> Listing | None:  # noqa: ARG001 - machine code
    """See the protocol."""
    return None


def disassemblers(hints: ToolchainHints, data: Buffer) -> tuple[str, ...]:  # noqa: ARG001
    """binutils' own for the machine, then LLVM's, which knows all."""
    cross = _CROSS.get(_read_machine(data))
    return (cross, "llvm-objdump") if cross else _TOOLS


def disassembly_command(tool: Path, image: Path, data: Buffer, names: frozenset[str]) -> Command:  # noqa: ARG001
    """All of it: an image is one source."""
    wide = () if "llvm" in tool.name else ("-w",)
    argv = (str(tool), "-d", *wide, "--no-show-raw-insn", "-j", ".text", str(image))
    return Command(argv=argv, inputs=(image,))


def read_disassembly(output: str, data: Buffer, names: frozenset[str]) -> Listing:
    """See the protocol."""
    places = Places(_open(data))
    return {
        function.name: tuple(_normalise(function, places))
        for function in iterate_functions(output, names)
    }


def _normalise(function: Function, places: Places) -> Iterator[str]:
    lines = [
        (int(match[1], 16), " ".join(match[2].split()))
        for match in map(_INSTRUCTION.match, function.lines)
        if match
    ]
    start = lines[0][0] if lines else 0
    targets = {
        int(match[1], 16) for _, text in lines if (match := _TARGET.search(text)) is not None
    }
    kept: list[str] = []
    for address, text in lines:
        if address in targets:
            kept.append(f"L{MARK}{address - start}:")
        cleaned = _clean(function.name, text, start, places)
        if cleaned:
            kept.append(cleaned)
    return drop_unused_labels(kept)


def _clean(own: str, text: str, start: int, places: Places) -> str:
    """The instruction with names in place of addresses; empty where it does nothing."""
    comment = _COMMENT.search(text)
    if comment:
        text = text[: comment.start()]
        address = int(comment[1], 16)
        text = _RELATIVE.sub(lambda _: _describe(text, address, places), text, count=1)
    elif _PADDING.fullmatch(text):
        return ""
    target = _TARGET.search(text)
    if target:
        inside, distance = target[2] == own, int(target[1], 16) - start
        name = f"L{MARK}{distance}" if inside else target[2]
        text = text[: target.start()] + name
    return canonical_name(text.replace(own, "@"))


def _describe(text: str, address: int, places: Places) -> str:
    """What lies at the address: by its name, else its content, else its section."""
    section = places.section_at(address)
    if places.span_at(address) or section is None or section.flags & SHF_WRITE:
        return f"[{places.describe(address)}]"
    if text.startswith("lea"):
        found = places.read_text(address)
        return f"[{places.describe(address)}]" if found is None else f"[{found!r}]"
    return f"[={places.read(address, _find_width(text))[::-1].hex()}]"


def _find_width(text: str) -> int:
    """How many bytes the instruction reads, or more: less would hide a change."""
    operation = text.partition(" ")[0]
    for suffix, size in _SCALARS:
        if operation.endswith(suffix):
            return size
    return next((size for register, size in _REGISTERS if register in text), _GENERAL)
