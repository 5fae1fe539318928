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


def check_calls(paths: Iterable[Path]) -> None:
    """Check that no object calls a kernel of another one, as launches in nvcc's objects do.

    Linkers accept such a call, and the program crashes.

    Raises:
        SourceError: An object calls a kernel.
        InputError: A file cannot be read.
    """
    handles: dict[str, str] = {}
    objects: dict[str, bytes] = {}
    for path in paths:
        for name, content in list_objects(path):
            objects[name] = content
            if SECTION.encode() in content:
                handles.update(dict.fromkeys(_list_handles(content), name))
    if not handles:
        return
    callers = [name for name, data in objects.items() if SECTION.encode() not in data]
    for name in callers:
        symbols = Elf(objects[name]).symbols
        used = {handles[s.name] for s in symbols if s.place is None and s.name in handles}
        if used:
            _judge({other: objects[other] for other in (name, *sorted(used))})


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
