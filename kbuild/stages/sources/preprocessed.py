"""Extract the kernel declarations from the output of a preprocessor.

Most of the output comes from the headers of the system and the toolkit. The short rest still
contains the kernels' names, scopes, and parameters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from kbuild.cxx import lexer, outline, tokens
from kbuild.cxx.lexer import Token
from kbuild.cxx.outline import divide
from kbuild.cxx.tokens import drop_attributes, join, read_tokens
from kbuild.stages.sources.device_words import KERNEL_ATTRIBUTE
from kbuild.stages.sources.included import find_first_included
from kbuild.toolchain import store

_CLOSED: Final = "closed text 1"
# The end of what the command line includes, for gcc and for clang.
_AFTER_INCLUDED: Final = (' "<command-line>" 2\n', ' "<built-in>" 2\n')
_DIRECTIVE: Final = re.compile(rb"#(?: |line )\d+")


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
    content = text.decode(errors="surrogateescape")
    content = _drop_common_part(content)
    marks = [found.start() for found in KERNEL_ATTRIBUTE.finditer(content)]
    requested = frozenset(names)
    kept: list[tuple[str, list[Token]]] = []
    for part in divide(content) if marks else ():
        is_marked = bisect_left(marks, part.start) < bisect_left(marks, part.head)
        if part.kind == "declaration" and not is_marked:
            continue
        if part.kind == "close" and kept and kept[-1][0] == "open":
            kept.pop()  # nothing in the namespace is requested
            continue
        head = KERNEL_ATTRIBUTE.sub("__global__", content[part.start : part.head])
        words = drop_attributes(read_tokens(head + "}" * (part.head < part.stop)))
        if part.kind != "declaration" or not requested or requested & {t.text for t in words}:
            kept.append((part.kind, words))
    return "\n".join(join(words) for _, words in kept).encode(errors="surrogateescape")


def _drop_common_part(text: str) -> str:
    """Return a text without what compilers include in front of a source, if it has no kernel.

    For a small source, this is nearly all of it. The user's cache knows if it also opens no scope.
    """
    start = find_first_included(text)
    marker = max(text.rfind(marker) for marker in _AFTER_INCLUDED)
    end = text.find("\n", marker) + 1
    if start is None or not start < marker < end or not _has_directives_only(text[:start]):
        return text
    common = text[start:end]
    key = store.make_key(_CLOSED, store.identify_modules(outline, lexer, tokens), common)
    known = store.find(key)
    if known is None:
        known = b"yes" if _is_closed(common) else b"no"
        store.add(key, known)
    return text[end:] if known == b"yes" else text


def _has_directives_only(text: str) -> bool:
    return all(not line.strip() or line.startswith("#") for line in text.split("\n"))


def _is_closed(text: str) -> bool:
    """Return whether whole lines end no scope or declaration of others, and open none."""
    if 'R"' in text or "/*" in text or KERNEL_ATTRIBUTE.search(text):
        return False
    depth = 0
    *parts, last = divide(text)
    for part in parts:
        depth += (part.kind == "open") - (part.kind == "close")
        if depth < 0:
            return False
    return not depth and _has_directives_only(text[last.start :])
