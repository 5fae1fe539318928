"""What of a preprocessor's output declares kernels, as a source would have it.

The output is most of it headers of systems and toolkits.  Left out are declarations, from line
marker to line marker, that hold no kernel of the image, the bodies of functions, and
attributes: what remains is short, and says what it said of kernels' names, scopes and
parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_MARKER: Final = re.compile(rb'^#(?: |line )\d+ ".*\n', re.MULTILINE)
# What `__global__` is a macro for.
_KERNEL: Final = re.compile(rb"__attribute__\s*\(\(\s*(?:__)?global(?:__)?\s*\)\)")
# A line that is nobody's part.
_PRAGMA: Final = re.compile(rb"^[ \t]*#[ \t]*pragma\b.*\n?", re.MULTILINE)
_BRACE: Final = re.compile(rb"[{}]")
_WHOLE: Final = (b"", b"{", b"}", b";")  # how a part ends that nothing goes on from
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


def select_kernels(text: bytes, names: Iterable[str]) -> bytes:
    """The declarations of the kernels of these names, with all that is around them.

    Without names, of all kernels.
    """
    kernels = _KERNEL.sub(b"__global__", text)
    wanted = re.compile(rb"\b(?:" + "|".join(map(re.escape, names)).encode() + rb")\b")
    selected = b"".join(_select(kernels, wanted))
    return b"".join(_drop_attributes(_drop_bodies(_TOKEN.finditer(selected))))


def _select(text: bytes, wanted: re.Pattern[bytes]) -> Iterator[bytes]:
    """The declarations, as the parts of ``text`` hold them, that are of a kernel.

    A declaration may go on over several parts, a namespace over whole files.
    """
    group: list[bytes] = []
    depth = 0
    for part in _MARKER.split(_PRAGMA.sub(b"", text)):
        group.append(part)
        depth += part.count(b"{") - part.count(b"}")
        end = part.rstrip()[-1:]
        # After an empty part goes on what was before it.
        if depth == 0 and end in _WHOLE and (end or len(group) == 1):
            yield from _keep(group, wanted)
            group = []
    if group:  # braces in strings: better too much than too little
        yield from _keep(group, wanted)


def _keep(group: list[bytes], wanted: re.Pattern[bytes]) -> Iterator[bytes]:
    """The group's parts, if one has a kernel, but for those that are whole and have none."""
    kernels = [b"__global__" in part and wanted.search(part) is not None for part in group]
    if not any(kernels):
        return
    is_whole = True
    for part, has_kernel in zip(group, kernels, strict=True):
        end = part.rstrip()[-1:]
        if has_kernel or not is_whole or not _is_balanced(part) or end not in _WHOLE:
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
