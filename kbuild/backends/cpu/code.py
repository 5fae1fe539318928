"""Compare the code of CPU images: digests and objdump.

The images are linked, so code refers to other parts of the image by distances, which change when
anything in between changes. If bytes differ, the disassembly decides whether the code does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.interface.code import MARK, Listing, drop_unused_labels, hide_name
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.backends.objdump import Function, Places, iterate_functions
from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.code import ElfCode, digest
from kbuild.formats.elf.constants import SHF_WRITE, STT_FUNC, STT_OBJECT
from kbuild.formats.elf.device import DeviceElf
from kbuild.model import Command, ImageKind

LANGUAGES: Final[dict[ImageKind, str]] = {"elf": "assembly"}
LISTS_SELECTED: Final = False

_TOOLS: Final = ("objdump", "llvm-objdump")
_CROSS: Final = {183: "aarch64-linux-gnu-objdump"}
# The suffix that `name_apart` adds to static kernels before a device link.
_SOURCE_HASH: Final = re.compile(r"\.kbuild_[0-9a-f]{16}\b")
# The unit that kbuild adds to every image. Its tables describe the kernels.
_ADAPTER: Final = re.compile(
    r"_ZN12_GLOBAL__N_1(?:\d+(?:run_\d+|attach|builtins)E|L\d+(?:kernels|params|types|names)(?:_\d+)?E)"
    r"|kbuild_cpu_\w+|completed\.\d|_DYNAMIC|__dso_handle|__(?:CTOR|DTOR|FRAME|TMC)_\w+|_init|_fini"
)
# The second copy of a kernel's body, for large grids, and the part of a function that g++ expects
# not to run. They change with the kernel and the function.
_LARGE_GRID: Final = re.compile(r"\d__kbuild_large_grid__")
_COLD: Final = ".cold"
_INSTRUCTION: Final = re.compile(r"\s*([0-9a-f]+):\s+(.*?)\s*$")
_RELATIVE: Final = re.compile(r"-?0x[0-9a-f]+\(%rip\)")
_COMMENT: Final = re.compile(r"\s+(?:#|//)\s+(?:0x)?([0-9a-f]+)\b.*$")
_TARGET: Final = re.compile(r"\b(?:0x)?([0-9a-f]+) <(.+?)(?:\+0x([0-9a-f]+))?>$")
_PADDING: Final = re.compile(
    r"(?:(?:cs|data16|rex\.W|xchg %ax,%ax)\s*)*(?:nop\w?\b.*|int3|xchg\s+%ax,%ax)?$"
)
# The bytes that an instruction reads, by its suffix, or by its widest register.
_SCALARS: Final = (("ss", 4), ("sd", 8))
# A vector of copies of one number, which is read from memory.
_BROADCAST: Final = re.compile(r"\{1to(\d+)\}")
_BROADCASTS: Final = {
    "vpbroadcastb": 1,
    "vpbroadcastw": 2,
    **dict.fromkeys(("vpbroadcastd", "movd", "vmovd"), 4),
    **dict.fromkeys(("vpbroadcastq", "movq", "vmovq"), 8),
    **dict.fromkeys(("vbroadcastf128", "vbroadcasti128"), 16),
    **dict.fromkeys(("vbroadcastf32x4", "vbroadcasti32x4"), 16),
}
_REGISTERS: Final = (("%zmm", 64), ("%ymm", 32), ("%xmm", 16))
_GENERAL: Final = 8


def canonical_name(symbol: str) -> str:
    """See `CodeReader`: the name without hashes of sources."""
    return _SOURCE_HASH.sub("", symbol)


def read_code(data: Buffer, kind: ImageKind) -> CodeFacts | None:
    """See `CodeReader`.

    Read-only data without a name that code refers to is part of the code's context.
    """
    if kind != "elf":
        return None
    elf = _open(data)
    code = ElfCode(elf)
    objects = tuple(code.spans(STT_OBJECT))
    constants = (code.content(section) for section in code.sections(prefix=b".rodata"))
    parts: dict[str, list[str]] = {}
    for span in code.spans(STT_FUNC):
        if not _ADAPTER.match(span.name) and not _LARGE_GRID.search(span.name):
            parts.setdefault(span.name.removesuffix(_COLD), []).append(code.digest(span))
    functions = tuple(
        (name, digests[0] if len(digests) == 1 else digest(map(str.encode, digests)))
        for name, digests in parts.items()
    )
    return CodeFacts(
        functions=functions,
        data=tuple(
            (span.name, code.digest(span)) for span in objects if not _ADAPTER.match(span.name)
        ),
        # Without symbols, the parts of the image are unknown.
        context=digest(constants if functions else (data,)),
    )


def _open(data: Buffer) -> DeviceElf:
    return DeviceElf(data, _read_machine(data), "CPU image")


def _read_machine(data: Buffer) -> int:
    return int.from_bytes(bytes(data[18:20]), "little")


def read_text(data: Buffer, names: frozenset[str]) -> Listing | None:  # noqa: ARG001 - machine code
    """See `CodeReader`: an image is never text."""
    return None


def disassemblers(hints: ToolchainHints, data: Buffer) -> tuple[str, ...]:  # noqa: ARG001
    """See `CodeReader`: binutils for the machine, then LLVM's, which supports every machine."""
    cross = _CROSS.get(_read_machine(data))
    return (cross, "llvm-objdump") if cross else _TOOLS


def disassembly_command(tool: Path, image: Path, data: Buffer, names: frozenset[str]) -> Command:  # noqa: ARG001
    """See `CodeReader`: the whole image, because an image comes from one source."""
    wide = () if "llvm" in tool.name else ("-w",)
    argv = (str(tool), "-d", *wide, "--no-show-raw-insn", "-j", ".text", str(image))
    return Command(argv=argv, inputs=(image,))


def read_disassembly(output: str, data: Buffer, names: frozenset[str]) -> Listing:
    """See `CodeReader`."""
    places = Places(_open(data))
    listing: dict[str, tuple[str, ...]] = {}
    for function in iterate_functions(output, names | {f"{name}{_COLD}" for name in names}):
        name = function.name.removesuffix(_COLD)
        listing[name] = listing.get(name, ()) + tuple(_normalize(function, places))
    return listing


def _normalize(function: Function, places: Places) -> Iterator[str]:
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
    """Return the instruction with names instead of addresses; empty for one without effect."""
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
    return canonical_name(hide_name(text, own))


def _describe(text: str, address: int, places: Places) -> str:
    """Return the symbol, the content, or the section at the address."""
    section = places.section_at(address)
    if places.span_at(address) or section is None or section.flags & SHF_WRITE:
        return f"[{places.describe(address)}]"
    if text.startswith("lea"):
        found = places.read_text(address)
        return f"[{places.describe(address)}]" if found is None else f"[{found!r}]"
    return f"[={places.read(address, _find_width(text))[::-1].hex()}]"


def _find_width(text: str) -> int:
    """Return the number of bytes that the instruction reads.

    The number can be too large. One that is too small would hide a change.
    """
    operation = text.partition(" ")[0]
    if operation in _BROADCASTS:
        return _BROADCASTS[operation]
    for suffix, size in _SCALARS:
        if operation.endswith(suffix):
            return size
    size = next((size for register, size in _REGISTERS if register in text), _GENERAL)
    copies = _BROADCAST.search(text)
    if copies is None:
        return size
    # The numbers that a conversion reads can be larger than those in its register.
    return _GENERAL if "cvt" in operation or "mm" not in text else size // int(copies[1])
