"""Divide preprocessed text by the files that its parts come from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kbuild.values import dataclass

_MARKER: Final = re.compile(r'\n#(?: |line )\d+ "((?:\\.|[^"\\\n])*)"[^\n]*')


@dataclass(frozen=True, slots=True, kw_only=True)
class Preprocessed:
    """What a preprocessor made of a source, and what it read.

    Attributes:
        text: The text. Its first line marker names the source.
        definitions: Directives that define the macros of the command line.
        is_project: Whether a file, as line markers spell it, belongs to the project.
        read_file: Returns the text of such a file.
    """

    text: str
    definitions: bytes = b""
    is_project: Callable[[str], bool]
    read_file: Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class IncludedText:
    """A preprocessed text.

    Attributes:
        source: The name of the source, as line markers spell it.
        project: The parts that come from files of the project, with their line markers.
        files: All files that are included, as line markers spell them.
        libraries: The parts that come from other files, by file.
    """

    source: str
    project: str
    files: tuple[str, ...]
    libraries: dict[str, str]


def divide_text(preprocessed: Preprocessed) -> IncludedText:
    """Divide a preprocessed text."""
    text = f"\n{preprocessed.text}"
    source = file = ""
    start = end = 0
    project: list[str] = []
    libraries: dict[str, list[str]] = {}
    known: dict[str, bool] = {"": False}
    for found in (*_MARKER.finditer(text), None):
        stop = found.start() if found else len(text)
        if known[file]:
            project.append(text[start:stop])
        elif file[:1] not in ("", "<"):
            libraries.setdefault(file, []).append(text[end:stop])
        if found is None:
            break
        file, start, end = found[1], found.start(), found.end()
        source = source or file
        if file not in known:
            known[file] = file == source or preprocessed.is_project(file)
    files = tuple(name for name in known if name[:1] not in ("", "<"))
    joined = {name: "".join(parts) for name, parts in libraries.items()}
    return IncludedText(source, "".join(project), files, joined)
