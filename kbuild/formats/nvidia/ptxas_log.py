"""The resources that ``ptxas -v`` and ``nvlink -v`` report for each function.

This is the only source of spilled bytes, because cubins do not contain them. The wording is not
documented and has varied. Unknown parts of a line are ignored. Examples (toolkits 11.8 to 13.4):

    ptxas info    : Compiling entry function '_Z1kPi' for 'sm_90'
    ptxas info    : Function properties for _Z1kPi
        48 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    ptxas info    : Used 24 registers, used 1 barriers, 48 bytes cumulative stack size, ...
    nvlink info    : Function properties for '_Z1kPi':
    nvlink info    : used 8 registers, 0 stack, 0 bytes smem, 536 bytes cmem[0], 0 bytes lmem
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from kbuild.values import dataclass

_COMPILING: Final = re.compile(r"Compiling entry (?:function|point) '([^']+)'(?: for '([^']+)')?")
_PROPERTIES: Final = re.compile(r"Function properties for '?([^\s':]+)")
_QUANTITY: Final = re.compile(
    r"(?<![\w+])(\d{1,15})(?:\+(\d{1,15}))? (?:bytes )?"
    r"(stack frame|spill stores|spill loads|cumulative stack size|registers|barriers|stack"
    r"|smem|lmem|cmem\[0\])"
)
_RUN_START: Final = re.compile(r": \d+ bytes gmem")
_FRAME: Final = re.compile(r"\d bytes stack frame")
_USED: Final = re.compile(r"\bused \d+ registers", re.IGNORECASE)

_FIELDS: Final = {
    "stack frame": "frame_bytes",
    "spill stores": "spill_stores",
    "spill loads": "spill_loads",
    "cumulative stack size": "stack_bytes",
    "stack": "stack_bytes",
    "registers": "registers",
    "barriers": "barriers",
    "smem": "shared_bytes",
    "lmem": "local_bytes",
    "cmem[0]": "constant_bytes",
}

Key: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionUsage:
    """The resources of one function on one architecture; None if the log does not report them.

    ``arch`` is None in reports of the linker. ``is_entry`` is False for a function that kernels
    call, and None if the linker does not report it. ``frame_bytes`` is the stack frame of the
    function itself; ``stack_bytes`` includes the functions that it calls. ``constant_bytes``
    counts only constant bank 0.
    """

    name: str
    arch: str | None
    is_entry: bool | None
    registers: int | None = None
    barriers: int | None = None
    frame_bytes: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    stack_bytes: int | None = None
    shared_bytes: int | None = None
    constant_bytes: int | None = None
    local_bytes: int | None = None

    @property
    def spill_bytes(self) -> int | None:
        """The bytes that are stored and loaded because the registers were not sufficient."""
        if self.spill_stores is None or self.spill_loads is None:
            return None
        return self.spill_stores + self.spill_loads


def read_log(text: str) -> tuple[FunctionUsage, ...]:
    """Return the functions in a compiler or linker log, in the order of the log. Never raises.

    If a function is reported twice for one architecture, the last report counts.
    """
    numbers: dict[Key, dict[str, int]] = {}
    entries: set[Key] = set()
    for lines in _divide(text.splitlines()):
        _read_run(lines, numbers, entries)
    return tuple(_describe(key, fields, key in entries) for key, fields in numbers.items())


def _divide(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each run of a tool.

    A run reports one architecture, and its first line reports global memory.
    """
    run: list[str] = []
    for line in lines:
        if _RUN_START.search(line):
            yield run
            run = []
        run.append(line)
    yield run


def _read_run(lines: list[str], numbers: dict[Key, dict[str, int]], entries: set[Key]) -> None:
    # Functions that are not inlined are reported without their architecture.
    arch = next((found[2] for found in map(_COMPILING.search, lines) if found), None)
    # The first line with registers belongs to the entry, even if the properties of the
    # functions that it calls precede it.
    entry = current = None
    for line in lines:
        if found := _COMPILING.search(line):
            arch = found[2]
            entry = current = (found[1], arch)
            entries.add(entry)
            numbers[entry] = {}
        elif found := _PROPERTIES.search(line):
            current = (found[1], arch)
            numbers.setdefault(current, {})
        elif current and _FRAME.search(line):
            numbers[current].update(_read_quantities(line))
        elif current and _USED.search(line):
            is_open = entry is not None and "registers" not in numbers[entry]
            numbers[entry if entry and is_open else current].update(_read_quantities(line))


def _describe(key: Key, fields: dict[str, int], is_entry: bool) -> FunctionUsage:
    name, arch = key
    return FunctionUsage(
        name=name, arch=arch, is_entry=is_entry if is_entry or arch else None, **fields
    )


def _read_quantities(line: str) -> dict[str, int]:
    # "40+16 bytes smem": declared by the source, plus added by the compiler.
    return {
        _FIELDS[found[3]]: int(found[1]) + int(found[2] or 0) for found in _QUANTITY.finditer(line)
    }
