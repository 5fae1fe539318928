"""Read preprocessed texts. The user's cache has the tokens of what comes from libraries.

The sources of a project include the same headers, and an edit of a source changes none of them. For
a small source, the headers of the backend and of kbuild are nearly everything. For sources with
templates of a library, reading its headers would take longer than everything else that kbuild does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.cxx import lexer, parts, unit
from kbuild.cxx.model import Span
from kbuild.cxx.parts import SeparatePart, decode, encode
from kbuild.cxx.unit import Unit, read_separate_part
from kbuild.stages.sources.included import find_libraries
from kbuild.toolchain import store

_TOKENS: Final = "tokens 4"
_MARKER: Final = re.compile(r'\n# \d+ "([^"\n]*)"')
# Entries of parts without tokens.
_SEEN_ONCE: Final = b"seen once"
_INSEPARABLE: Final = b"inseparable"
# In characters. Reading less than that takes no longer than looking it up.
_SMALLEST: Final = 1 << 15


def read_host_text(text: str, compiler: Path) -> Unit:
    """Read a preprocessed text.

    Args:
        text: The text.
        compiler: The compiler of device code. The headers of its toolkit are a library.
    """
    found: list[SeparatePart | None] = []
    position = 0
    for start, end in _find_library_parts(text, compiler):
        part = _read_library_part(text[start:end])
        if part is not None:
            found += (read_separate_part(text[position:start]), part)
            position = end
    if position:
        found += (read_separate_part(text[position:]),) if position < len(text) else ()
        known = [part for part in found if part is not None]
        if len(known) == len(found):
            return Unit(text, parts=known)
    return Unit(text)


def _find_library_parts(text: str, compiler: Path) -> Iterator[Span]:
    """Yield the lines between those of the source and of its project, if they are many."""
    is_library = find_libraries(compiler)
    known: dict[str, bool] = {}
    start = None
    for marker in _MARKER.finditer(text):
        file = marker[1]
        if file not in known:
            known[file] = is_library(file)
        if file.startswith("<") or known[file] == (start is not None):
            continue
        if start is None:
            start = marker.start() + 1
        else:
            if marker.start() - start >= _SMALLEST:
                yield start, marker.start() + 1
            start = None


def _read_library_part(text: str) -> SeparatePart | None:
    """Return a part of a library; None if it must be read with the rest of the text.

    The entry is made when a part is seen again, because it takes half as long as reading the part.
    """
    key = store.make_key(_TOKENS, store.identify_modules(lexer, parts, unit), text)
    known = store.find(key)
    if known is None:
        store.add(key, _SEEN_ONCE)
        return None
    if known not in (_SEEN_ONCE, _INSEPARABLE):
        return decode(known)
    part = read_separate_part(text) if known == _SEEN_ONCE else None
    if known == _SEEN_ONCE:
        store.add(key, _INSEPARABLE if part is None else encode(part))
    return part
