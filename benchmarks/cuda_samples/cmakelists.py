"""Read what a sample's CMakeLists.txt says: its program, sources, options, and libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TOKEN = re.compile(r'#[^\n]*|"((?:[^"\\]|\\.)*)"|([()])|([^\s()#"]+)|\n')
_CURRENT = ("${CMAKE_CURRENT_SOURCE_DIR}", "${CMAKE_CURRENT_LIST_DIR}", ".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command and the line that it starts on."""

    name: str
    words: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The commands of a CMakeLists.txt. Conditions are not evaluated."""

    path: Path
    calls: tuple[Call, ...]

    def find(self, *names: str) -> Iterator[Call]:
        return (call for call in self.calls if call.name in names)


def read_listing(path: Path) -> Listing:
    """Parse a file of commands."""
    return Listing(path=path, calls=tuple(_parse(path.read_text(errors="replace"))))


def _parse(text: str) -> Iterator[Call]:
    name, words, line, start, depth = "", [], 1, 1, 0
    for token in _TOKEN.finditer(text):
        quoted, parenthesis, bare = token.groups()
        if parenthesis == "(":
            depth += 1
        elif parenthesis == ")":
            depth -= 1
            if depth == 0:
                yield Call(name=name.lower(), words=tuple(words), line=start)
                name, words = "", []
        elif depth and (bare or quoted is not None):
            words.append(bare or quoted)
        elif bare:
            name, start = bare, line
        line += token.group().count("\n")


def list_sources(listing: Listing) -> tuple[str, ...]:
    """Return the sources of the listing's programs, relative to its directory."""
    variables = {call.words[0]: call.words[1:] for call in listing.find("set") if call.words}
    for call in listing.find("file"):
        if call.words[0] == "GLOB":
            root = listing.path.parent
            variables[call.words[1]] = tuple(
                str(found.relative_to(root))
                for pattern in call.words[2:]
                for found in sorted(root.glob(_localize(pattern)))
            )
    sources: dict[str, None] = {}
    for call in listing.find("add_executable"):
        for word in call.words[1:]:
            variable = re.fullmatch(r"\$\{(\w+)\}", word)
            for value in variables.get(variable[1], ()) if variable else (word,):
                sources[_localize(value)] = None
    return tuple(sources)


def list_include_directories(listing: Listing) -> tuple[str, ...]:
    """Return the include directories inside the samples, relative to the listing's directory."""
    found: dict[str, None] = {}
    for call in listing.find("include_directories", "target_include_directories"):
        for word in call.words:
            local = _localize(word)
            if "$" not in local and (listing.path.parent / local).is_dir():
                found[local] = None
    return tuple(found)


def _localize(word: str) -> str:
    if word.rstrip("/") in _CURRENT:
        return "."
    for directory in _CURRENT:
        word = word.removeprefix(f"{directory}/")
    return word
