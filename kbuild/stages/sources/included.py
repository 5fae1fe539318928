"""Divide preprocessed text by the files that its parts come from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kbuild.values import dataclass

_MARKER: Final = re.compile(r'^#(?: |line )\d+ "((?:\\.|[^"\\\n])*)".*\n', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class IncludedText:
    """A preprocessed text.

    Attributes:
        source: The name of the source, as line markers spell it.
        project: The parts that come from files of the project, with their line markers.
        libraries: The parts that come from other files, by file.
    """

    source: str
    project: str
    libraries: dict[str, str]


def divide_text(text: str, is_project: Callable[[str], bool]) -> IncludedText:
    """Divide a text.

    Args:
        text: The preprocessed text. Its first line marker names the source.
        is_project: Whether a file belongs to the project.
    """
    source = ""
    project: list[str] = []
    libraries: dict[str, list[str]] = {}
    known: dict[str, bool] = {}
    position, file, start = 0, "", 0
    while position <= len(text):
        found = _MARKER.search(text, position)
        end = found.start() if found else len(text)
        if file not in known:
            known[file] = file == source or is_project(file)
        if known[file]:
            project.append(text[start:end])
        elif file[:1] != "<":
            libraries.setdefault(file, []).append(text[position:end])
        if found is None:
            break
        source = source or found[1]
        file, start, position = found[1], found.start(), found.end()
    joined = {name: "".join(parts) for name, parts in libraries.items() if name}
    return IncludedText(source, "".join(project), joined)
