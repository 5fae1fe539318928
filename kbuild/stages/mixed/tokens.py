"""Read preprocessed texts. The user's cache has the tokens of what all of them begin with.

With the same compilers and options, every source includes the same headers of the backend and of
kbuild in front of its own text. For a small source, they are nearly everything.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild import resources
from kbuild.cxx import lexer, parts, unit
from kbuild.cxx.model import Span
from kbuild.cxx.parts import SeparatePart, decode, encode
from kbuild.cxx.unit import Unit, read_separate_part
from kbuild.stages.sources.included import find_first_included
from kbuild.toolchain import store

_TOKENS: Final = "tokens 3"
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
    start = find_first_included(text)
    return None if end is None or start is None or start >= last else (start, end)


def _read_common_part(text: str) -> SeparatePart | None:
    key = store.make_key(_TOKENS, store.identify_modules(lexer, parts, unit), text)
    known = store.find(key)
    if known is not None:
        return decode(known)
    part = read_separate_part(text)
    if part is not None:
        store.add(key, encode(part))
    return part
