"""Reject links in which code calls a kernel's handle, which is data."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.errors import SourceError
from kbuild.formats.elf.file import Elf
from kbuild.formats.target_note import SECTION, read_notes
from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import inspect_content
from kbuild.nvcc.relocatable import list_objects
from kbuild.verify import select_rules, verify

_RULE: Final = "KB309"


def check_calls(paths: Iterable[Path], function: str) -> None:
    """Check that no object calls a kernel of another one, as launches in nvcc's objects do.

    Linkers accept such a call, and the program crashes.

    Args:
        paths: The objects and archives of a link.
        function: The function that launches in nvcc's objects call first; empty if no such objects
            can be linked.

    Raises:
        SourceError: An object calls a kernel.
        InputError: A file cannot be read.
    """
    if not function:
        return
    own: dict[str, bytes] = {}
    callers: dict[str, bytes] = {}
    for path in paths:
        for name, content in list_objects(path):
            if SECTION.encode() in content:
                own[name] = content
            elif function.encode() in content:
                callers[name] = content
    if not callers:
        return
    handles = {handle: name for name, content in own.items() for handle in _list_handles(content)}
    for name, content in callers.items():
        undefined = (s.name for s in Elf(content).symbols if s.place is None)
        used = sorted({handles[symbol] for symbol in undefined if symbol in handles})
        if used:
            _judge({name: content, **{other: own[other] for other in used}})


def _list_handles(content: bytes) -> list[str]:
    """Return the kernels of an object that other files can name."""
    elf = Elf(content)
    notes = (n for s in elf.sections_named(SECTION) for n in read_notes(elf.content(s))[0])
    rows = (row for note in notes for row in note.record.kernels)
    return [row.handle for row in rows if row.linkage != "internal"]


def _judge(objects: dict[str, bytes]) -> None:
    options = ReadOptions(jobs=1)
    facts = (f for name, data in objects.items() for f in inspect_content(name, data, options))
    report = verify(tuple(facts), rules=select_rules((_RULE,), ()))
    for finding in report.findings:
        raise SourceError(f"{finding.path}: {_RULE}: {finding.message}\n{finding.fix}")
