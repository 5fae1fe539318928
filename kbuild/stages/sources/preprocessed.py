"""What of a preprocessor's output declares kernels, as a source would have it.

The output is most of it headers of systems and toolkits.  Left out are declarations, from line
marker to line marker, that hold no kernel of the image, the bodies of functions, and
attributes: what remains is short, and says what it said of kernels' names, scopes and
parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_MARKER: Final = re.compile(rb'^#(?: |line )\d+ ".*\n', re.MULTILINE)
_DIRECTIVE: Final = re.compile(rb"#(?: |line )\d+")
# What `__global__` is a macro for.
_KERNEL: Final = re.compile(rb"__attribute__\s*\(\(\s*(?:__)?global(?:__)?\s*\)\)")
_WORD: Final = b"global"  # in all of its spellings
# A line that is nobody's part.
_PRAGMA: Final = re.compile(rb"^[ \t]*#[ \t]*pragma\b.*\n?", re.MULTILINE)
_BRACE: Final = re.compile(rb"[{}]")
_ENDS: Final = (b"{", b"}", b";")
_WHOLE: Final = (b"", *_ENDS)  # how a part ends that nothing goes on from
_TOKEN: Final = re.compile(
    rb"""
      (?:u8|[uUL])?R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"
    | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
    | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+'
    | [A-Za-z_]\w*
    | \d(?:[\w.]|'(?=\w))*
    | \[\[
    | \]\]
    | \s+
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def name_relatively(text: bytes, root: bytes) -> bytes:
    """The text whose line markers name the files below the folder ``root`` relative to it."""
    folder = root.rstrip(b"/") + b"/"
    parts, position = [], 0
    while (hit := text.find(b' "' + folder, position)) >= 0:
        line = text.rfind(b"\n", 0, hit) + 1
        name = hit + len(b' "')
        parts.append(text[position:name])
        position = name + len(folder) if _DIRECTIVE.fullmatch(text, line, hit) else name
    return b"".join((*parts, text[position:]))


def select_kernels(text: bytes, names: Iterable[str]) -> bytes:
    """The declarations of the kernels of these names, with all that is around them.

    Without names, of all kernels.
    """
    wanted = re.compile(rb"\b(?:" + "|".join(map(re.escape, names)).encode() + rb")\b")
    selected = b"".join(_select(text, wanted))
    return b"".join(_drop_attributes(_drop_bodies(_TOKEN.finditer(selected))))


@dataclass(frozen=True, slots=True)
class _Part:
    """What is between two line markers: the first one's offset, and where the text is.

    ``depth`` is that of the braces at its end.
    """

    marker: int
    start: int
    stop: int
    depth: int

    def read(self, text: bytes) -> bytes:
        """The text, as a source would have it."""
        return _KERNEL.sub(b"__global__", _PRAGMA.sub(b"", text[self.start : self.stop]))


def _select(text: bytes, wanted: re.Pattern[bytes]) -> Iterator[bytes]:
    """The declarations, as the parts of ``text`` hold them, that are of a kernel.

    A declaration may go on over several parts, a namespace over whole files.  Megabytes of
    headers are only searched for the word, not taken apart.
    """
    position, depth = 0, 0  # the braces before the position are counted
    while (hit := text.find(_WORD, position)) >= 0:
        marker, start = _find_marker_before(text, hit)
        stop = _find_marker_after(text, hit)
        depth += _count_braces(text, position, stop)
        position = stop
        part = _Part(marker, start, stop, depth)
        if not _has_kernel(part.read(text), wanted):
            continue
        before = list(_go_back(text, part))
        after = list(_go_on(text, part))
        group = [*reversed(before), part, *after]
        yield from _keep([part.read(text) for part in group], wanted)
        position, depth = group[-1].stop, group[-1].depth


def _find_marker_before(text: bytes, position: int) -> tuple[int, int]:
    """Where the last marker before ``position`` starts and ends; (0, 0) where there is none."""
    while (line := text.rfind(b"\n#", 0, position)) >= 0:
        if marker := _MARKER.match(text, line + 1):
            return marker.span()
        position = line + 1
    marker = _MARKER.match(text)
    return marker.span() if marker and marker.end() <= position else (0, 0)


def _find_marker_after(text: bytes, position: int) -> int:
    """Where the next marker from ``position`` on starts; the text's length if none does."""
    while (line := text.find(b"\n#", position)) >= 0:
        if _MARKER.match(text, line + 1):
            return line + 1
        position = line + 1
    return len(text)


def _count_braces(text: bytes, start: int, stop: int) -> int:
    return text.count(b"{", start, stop) - text.count(b"}", start, stop)


def _go_back(text: bytes, part: _Part) -> Iterator[_Part]:
    """The parts before ``part`` that go on in it, the nearest first."""
    empty: list[_Part] = []
    while part.marker > 0:
        depth = part.depth - _count_braces(text, part.start, part.stop)
        marker, start = _find_marker_before(text, part.marker)
        part = _Part(marker, start, part.marker, depth)
        end = _find_end(text, part)
        if depth == 0 and end in _WHOLE:
            if end:
                return
            empty.append(part)  # after an empty part goes on what was before it
            continue
        yield from empty
        empty = []
        yield part


def _go_on(text: bytes, part: _Part) -> Iterator[_Part]:
    """The parts after ``part`` in which it goes on."""
    while part.stop < len(text) and (part.depth != 0 or _find_end(text, part) not in _ENDS):
        marker = _MARKER.match(text, part.stop)
        start = marker.end() if marker else part.stop
        stop = _find_marker_after(text, start - 1)
        part = _Part(part.stop, start, stop, part.depth + _count_braces(text, start, stop))
        yield part


def _find_end(text: bytes, part: _Part) -> bytes:
    """The last character but for space and pragmas; nothing where there is no other."""
    rest = text[part.start : part.stop].rstrip()
    while _PRAGMA.match(rest, line := rest.rfind(b"\n") + 1):
        rest = rest[:line].rstrip()
    return rest[-1:]


def _has_kernel(part: bytes, wanted: re.Pattern[bytes]) -> bool:
    return b"__global__" in part and wanted.search(part) is not None


def _keep(group: list[bytes], wanted: re.Pattern[bytes]) -> Iterator[bytes]:
    """The group's parts but for those that are whole and have no kernel."""
    is_whole = True
    for part in group:
        end = part.rstrip()[-1:]
        if _has_kernel(part, wanted) or not is_whole or not _is_balanced(part) or end not in _WHOLE:
            yield part
        is_whole = end in _WHOLE and (is_whole or bool(end))


def _is_balanced(part: bytes) -> bool:
    """Whether it closes what it opens, and nothing else."""
    depth = 0
    for brace in _BRACE.finditer(part):
        depth += 1 if brace[0] == b"{" else -1
        if depth < 0:
            return False
    return depth == 0


def _drop_bodies(tokens: Iterator[re.Match[bytes]]) -> Iterator[bytes]:
    """The tokens but for what is in the braces after a function's parameters."""
    depth, last = 0, b""
    for token in tokens:
        word = token[0]
        if depth:
            depth += (word == b"{") - (word == b"}")
        elif word == b"{" and last in (b")", b"noexcept"):
            depth = 1
            yield b"{"
        if not depth:
            yield word
        if not word.isspace():
            last = word


def _drop_attributes(words: Iterator[bytes]) -> Iterator[bytes]:
    """The words without ``__attribute__((...))`` and ``[[...]]``."""
    depth, is_next, is_bracketed = 0, False, False
    for word in words:
        if is_bracketed:
            is_bracketed = word != b"]]"
        elif depth or (is_next and word == b"("):
            depth += (word == b"(") - (word == b")")
            is_next = False
        elif word in (b"__attribute__", b"__attribute"):
            is_next = True
        elif word == b"[[":
            is_bracketed = True
        elif not (is_next and word.isspace()):
            yield word
            is_next = False
