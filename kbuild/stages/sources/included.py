"""Divide preprocessed text by the files that its parts come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.values import dataclass

_SYSTEM_DIRECTORIES: Final = (Path("/usr/include"), Path("/usr/lib"), Path("/usr/local"))
# Directories of Python's own headers, and of packages that are installed for Python.
_PYTHON_DIRECTORY: Final = re.compile(r"/(?:(?:site|dist)-packages|include/python\d[\w.]*)/")
_UNESCAPE: Final = re.compile(r"\\(.)")
_LINE: Final = re.compile(r'^#(?: |line )\d+ "((?:\\.|[^"\\\n])*)"', re.MULTILINE)
_MARKER: Final = re.compile(r'\n#(?: |line )(\d+) "((?:\\.|[^"\\\n])*)"[^\n]*')


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


def read_preprocessed(text: Path, compiler: Path, definitions: Iterable[str]) -> Preprocessed:
    """Read the output of a preprocessor.

    Args:
        text: The file.
        compiler: The compiler of device code. The files of its toolkit are not the project's.
        definitions: The macros of the command line, as ``NAME`` or ``NAME=value``.
    """
    content = files.read_file(text).decode(errors="surrogateescape")
    return make_preprocessed(content, compiler, definitions)


def make_preprocessed(text: str, compiler: Path, definitions: Iterable[str] = ()) -> Preprocessed:
    """Return the output of a preprocessor, as `read_preprocessed` does."""
    is_library = find_libraries(compiler)
    macros = (definition.partition("=") for definition in definitions)
    return Preprocessed(
        text=text,
        definitions="".join(f"#define {name} {value}\n" for name, _, value in macros).encode(),
        is_project=lambda file: not is_library(file),
        read_file=_read_included,
    )


def find_libraries(compiler: Path) -> Callable[[str], bool]:
    """Return a function that tells whether a file belongs to a library, and not to the project.

    Args:
        compiler: The compiler of device code. The files of its toolkit are not the project's.
    """
    toolkit = compiler.resolve().parent.parent
    system = (toolkit, resources.native_directory(), *_SYSTEM_DIRECTORIES)
    installed = tuple(f"{directory}/" for directory in system)
    return lambda file: file.startswith(installed) or _PYTHON_DIRECTORY.search(file) is not None


def _read_included(file: str) -> bytes:
    """Return the text of a file that a line marker names."""
    path = Path(_UNESCAPE.sub(r"\1", file))
    # Generated headers name files with `#line` that exist only where they were generated.
    return files.read_file(path) if path.is_file() else b""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a preprocessed text, from one line marker to the next.

    Attributes:
        file: The file that it comes from, as the line marker spells it.
        line: The line of the file that follows the marker.
        marker: The line marker, and the end of the line before it.
        text: What follows the marker.
        is_project: Whether the file belongs to the project.
    """

    file: str
    line: int
    marker: str
    text: str
    is_project: bool


def list_parts(preprocessed: str, is_project: Callable[[str], bool]) -> Iterator[TextPart]:
    """Yield the parts of a preprocessed text. Nothing is in front of its first line marker."""
    text = f"\n{preprocessed}"
    source = file = ""
    start = end = line = 0
    known: dict[str, bool] = {"": False}
    for found in (*_MARKER.finditer(text), None):
        stop = found.start() if found else len(text)
        if file:
            yield TextPart(file, line, text[start:end], text[end:stop], known[file])
        if found is None:
            break
        line, file, start, end = int(found[1]), found[2], found.start(), found.end()
        source = source or file
        if file not in known:
            known[file] = file == source or is_project(file)


def find_first_included(text: str) -> int | None:
    """Return the position of the line marker of the first file that a source includes."""
    source = None
    for marker in _LINE.finditer(text):
        if not marker[1].startswith("<") and marker[1] != (source := source or marker[1]):
            return marker.start()
    return None


def divide_text(preprocessed: Preprocessed) -> IncludedText:
    """Divide a preprocessed text."""
    parts = list(list_parts(preprocessed.text, preprocessed.is_project))
    project = "".join(part.marker + part.text for part in parts if part.is_project)
    names = tuple(name for name in dict.fromkeys(p.file for p in parts) if name[0] != "<")
    return IncludedText(parts[0].file if parts else "", project, names, join_libraries(parts))


def join_libraries(parts: Iterable[TextPart]) -> dict[str, str]:
    """Return the parts that come from files outside of the project, by file."""
    libraries: dict[str, list[str]] = {}
    for part in parts:
        if not part.is_project and not part.file.startswith("<"):
            libraries.setdefault(part.file, []).append(part.text)
    return {name: "".join(texts) for name, texts in libraries.items()}
