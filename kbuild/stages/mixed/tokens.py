"""Read preprocessed texts. The user's cache has the tokens of what all of them begin with.

With the same compilers and options, every source includes the same headers of the backend and of
kbuild in front of its own text. For a small source, they are nearly everything.
"""

from __future__ import annotations

import marshal
import re
from functools import cache
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.cxx import lexer, unit
from kbuild.cxx.model import Span
from kbuild.cxx.unit import SeparatePart, TokenTable, Unit, read_separate_part
from kbuild.toolchain import store

_TOKENS: Final = "tokens 2"
_MARKER: Final = re.compile(r'^# \d+ "([^"\n]*)"[^\n]*\n', re.MULTILINE)


def read_host_text(text: str) -> Unit:
    """Read a text in which a pass includes kbuild's own headers in front of the source."""
    span = _find_common_part(text)
    common = _read_common_part(text[slice(*span)]) if span else None
    if span is None or common is None:
        return Unit(text)
    start, end = span
    before, after = map(read_separate_part, (text[:start], text[end:]))
    if before is None or after is None:
        return Unit(text)
    return Unit(text, parts=(before, common, after))


def _find_common_part(text: str) -> Span | None:
    """Return the lines from the first included header to the last one of kbuild."""
    own = f"{resources.native_directory()}/"
    last = text.rfind(f' "{own}')
    end = next((m.start() for m in _MARKER.finditer(text, last) if own not in m[1]), None)
    source = None
    for marker in _MARKER.finditer(text, 0, max(last, 0)):
        if marker[1].startswith("<") or marker[1] == (source := source or marker[1]):
            continue
        return None if end is None else (marker.start(), end)
    return None


def _read_common_part(text: str) -> SeparatePart | None:
    key = store.make_key(_TOKENS, _identify_reader(), text)
    known = store.find(key)
    if known is not None:
        table, *rest = marshal.loads(known)  # noqa: S302 - kbuild has written it
        return SeparatePart(TokenTable(*table), *rest)
    part = read_separate_part(text)
    if part is not None:
        spelled: dict[str, str] = {}  # equal tokens are stored once
        words = [spelled.setdefault(word, word) for word in part.table.words]
        table = part.table._replace(words=words)
        store.add(key, marshal.dumps((tuple(table), part.partners, part.places)))
    return part


@cache
def _identify_reader() -> str:
    """Return what changes if the reader does, or the form of what is stored."""
    sources = (Path(module.__file__ or "") for module in (lexer, unit))
    return files.sha256(b"".join(map(files.read_file, sources)) + bytes([marshal.version]))
