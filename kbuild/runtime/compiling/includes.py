"""Find the headers that source text can include, for compilers that do not list them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_INCLUDE: Final = re.compile(rb"^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(.*)$", re.MULTILINE)
_NAME: Final = re.compile(rb'(?:"([^"\n]+)"|<([^>\n]+)>)')
_DIRECTORY: Final = ("-I", "--include-path")
_FILE: Final = ("-include", "--pre-include")


def find_includes(
    text: bytes, options: tuple[str, ...], directories: Iterable[Path]
) -> tuple[Path, ...] | None:
    """Return every header that text can include, whatever its conditions are.

    Headers that are not found belong to the compiler.

    Args:
        text: The source.
        options: The options of the compiler, which can name directories and headers.
        directories: The other directories that the compiler searches.

    Returns:
        None if a macro names a header, so that nobody but the compiler can find it.
    """
    searched = [*map(Path, _read_values(options, _DIRECTORY)), *directories]
    found: dict[Path, None] = {}
    waiting: list[tuple[bytes, Path | None]] = [(text, None)]
    waiting += [
        (b'#include "%s"\n' % name.encode(), Path()) for name in _read_values(options, _FILE)
    ]
    while waiting:
        content, parent = waiting.pop()
        for match in _INCLUDE.finditer(content):
            named = _NAME.match(match[1])
            if named is None:
                return None
            own = [parent] if parent is not None and named[1] is not None else []
            relative = (named[1] or named[2]).decode(errors="surrogateescape")
            # With #include_next, each of several headers can be read.
            for directory in (*own, *searched):
                path = directory / relative
                if path not in found and path.is_file():
                    found[path] = None
                    waiting.append((path.read_bytes(), path.parent))
    return tuple(found)


def _read_values(options: tuple[str, ...], names: tuple[str, ...]) -> Iterator[str]:
    """Yield the values of options, written ``-Idir``, ``-I dir``, or ``-I=dir``."""
    words = iter(options)
    for word in words:
        name = next((n for n in names if word.startswith(n)), None)
        if name is not None:
            value = word[len(name) :].removeprefix("=")
            yield value or next(words, "")
