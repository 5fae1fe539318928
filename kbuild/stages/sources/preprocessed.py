"""Extract the kernel declarations from the output of a preprocessor.

Most of the output comes from the headers of the system and the toolkit. This module removes
declarations without a kernel of the image (in units from line marker to line marker), function
bodies, and attributes. The short rest still contains the kernels' names, scopes, and parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.lexer import Token
from kbuild.cxx.tokens import drop_attributes, join, read_tokens
from kbuild.values import dataclass

_MARKER: Final = re.compile(rb'^#(?: |line )\d+ ".*\n', re.MULTILINE)
_DIRECTIVE: Final = re.compile(rb"#(?: |line )\d+")
# The expansion of the macro `__global__`.
_KERNEL: Final = re.compile(rb"__attribute__\s*\(\(\s*(?:__)?global(?:__)?\s*\)\)")
_WORD: Final = b"global"  # part of all spellings of the attribute
# Pragma lines are not part of any declaration.
_PRAGMA: Final = re.compile(rb"^[ \t]*#[ \t]*pragma\b.*\n?", re.MULTILINE)
_BRACE: Final = re.compile(rb"[{}]")
_ENDS: Final = (b"{", b"}", b";")
_COMPLETE: Final = (b"", *_ENDS)  # the last character of a part that does not continue


def name_relatively(text: bytes, root: bytes) -> bytes:
    """Make the paths in line markers relative to ``root``, if they are below it."""
    directory = root.rstrip(b"/") + b"/"
    parts, position = [], 0
    while (hit := text.find(b' "' + directory, position)) >= 0:
        line = text.rfind(b"\n", 0, hit) + 1
        name = hit + len(b' "')
        parts.append(text[position:name])
        position = name + len(directory) if _DIRECTIVE.fullmatch(text, line, hit) else name
    return b"".join((*parts, text[position:]))


def select_kernels(text: bytes, names: Iterable[str]) -> bytes:
    """Extract the declarations of these kernels, with the scopes around them.

    Args:
        text: The preprocessed text.
        names: The kernels' names without scopes. If empty, all kernels are extracted.
    """
    requested = re.compile(rb"\b(?:" + "|".join(map(re.escape, names)).encode() + rb")\b")
    selected = b"".join(_select(text, requested)).decode(errors="surrogateescape")
    tokens = _drop_bodies(drop_attributes(read_tokens(selected)))
    return join(list(tokens)).encode(errors="surrogateescape")


@dataclass(frozen=True, slots=True)
class _Part:
    """The text between two line markers.

    ``marker`` is the offset of the first marker. The text reaches from ``start`` to ``stop``.
    ``depth`` is the number of open braces at its end.
    """

    marker: int
    start: int
    stop: int
    depth: int

    def read(self, text: bytes) -> bytes:
        """Return the text with ``__global__`` and without pragmas, as in a source."""
        return _KERNEL.sub(b"__global__", _PRAGMA.sub(b"", text[self.start : self.stop]))


def _select(text: bytes, requested: re.Pattern[bytes]) -> Iterator[bytes]:
    """Yield the parts of ``text`` that declare a requested kernel.

    A declaration can extend over several parts, and a namespace over whole files. For speed, text
    without the word is only searched and not split into parts: there are megabytes of headers.
    """
    position, depth = 0, 0  # the number of open braces at the position
    while (hit := text.find(_WORD, position)) >= 0:
        marker, start = _find_marker_before(text, hit)
        stop = _find_marker_after(text, hit)
        depth += _count_braces(text, position, stop)
        position = stop
        part = _Part(marker, start, stop, depth)
        if not _has_kernel(part.read(text), requested):
            continue
        before = list(_list_preceding(text, part))
        after = list(_list_following(text, part))
        group = [*reversed(before), part, *after]
        yield from _keep([part.read(text) for part in group], requested)
        position, depth = group[-1].stop, group[-1].depth


def _find_marker_before(text: bytes, position: int) -> tuple[int, int]:
    """Return the start and end of the last marker before ``position``, or (0, 0)."""
    while (line := text.rfind(b"\n#", 0, position)) >= 0:
        if marker := _MARKER.match(text, line + 1):
            return marker.span()
        position = line + 1
    marker = _MARKER.match(text)
    return marker.span() if marker and marker.end() <= position else (0, 0)


def _find_marker_after(text: bytes, position: int) -> int:
    """Return the start of the next marker from ``position`` on, or the length of the text."""
    while (line := text.find(b"\n#", position)) >= 0:
        if _MARKER.match(text, line + 1):
            return line + 1
        position = line + 1
    return len(text)


def _count_braces(text: bytes, start: int, stop: int) -> int:
    return text.count(b"{", start, stop) - text.count(b"}", start, stop)


def _list_preceding(text: bytes, part: _Part) -> Iterator[_Part]:
    """Yield the parts before ``part`` that continue in it, the nearest first."""
    empty: list[_Part] = []
    while part.marker > 0:
        depth = part.depth - _count_braces(text, part.start, part.stop)
        marker, start = _find_marker_before(text, part.marker)
        part = _Part(marker, start, part.marker, depth)
        end = _find_end(text, part)
        if depth == 0 and end in _COMPLETE:
            if end:
                return
            empty.append(part)  # an earlier part can continue after an empty one
            continue
        yield from empty
        empty = []
        yield part


def _list_following(text: bytes, part: _Part) -> Iterator[_Part]:
    """Yield the parts after ``part`` in which it continues."""
    while part.stop < len(text) and (part.depth != 0 or _find_end(text, part) not in _ENDS):
        marker = _MARKER.match(text, part.stop)
        start = marker.end() if marker else part.stop
        stop = _find_marker_after(text, start - 1)
        part = _Part(part.stop, start, stop, part.depth + _count_braces(text, start, stop))
        yield part


def _find_end(text: bytes, part: _Part) -> bytes:
    """Return the last character, ignoring space and pragmas; empty if there is no other."""
    rest = text[part.start : part.stop].rstrip()
    while _PRAGMA.match(rest, line := rest.rfind(b"\n") + 1):
        rest = rest[:line].rstrip()
    return rest[-1:]


def _has_kernel(part: bytes, requested: re.Pattern[bytes]) -> bool:
    return b"__global__" in part and requested.search(part) is not None


def _keep(group: list[bytes], requested: re.Pattern[bytes]) -> Iterator[bytes]:
    """Yield the parts of a group, except complete parts without a kernel."""
    is_complete = True
    for part in group:
        end = part.rstrip()[-1:]
        is_needed = not is_complete or not _is_balanced(part) or end not in _COMPLETE
        if is_needed or _has_kernel(part, requested):
            yield part
        is_complete = end in _COMPLETE and (is_complete or bool(end))


def _is_balanced(part: bytes) -> bool:
    """Return whether the braces in the part match."""
    depth = 0
    for brace in _BRACE.finditer(part):
        depth += 1 if brace[0] == b"{" else -1
        if depth < 0:
            return False
    return depth == 0


def _drop_bodies(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens without the function bodies."""
    depth, last = 0, ""
    for token in tokens:
        word = token.text
        if depth:
            depth += (word == "{") - (word == "}")
        elif word == "{" and last in (")", "noexcept"):
            depth = 1
            yield token
        if not depth:
            yield token
        last = word
