"""Extract the kernel declarations from the output of a preprocessor.

Most of the output comes from the headers of the system and the toolkit. The short rest still
contains the kernels' names, scopes, and parameters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from kbuild.cxx.lexer import Token
from kbuild.cxx.outline import divide
from kbuild.cxx.tokens import drop_attributes, join, read_tokens
from kbuild.stages.sources.device_words import KERNEL_ATTRIBUTE

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
        tokens = drop_attributes(read_tokens(head + "}" * (part.head < part.stop)))
        if part.kind != "declaration" or not requested or requested & {t.text for t in tokens}:
            kept.append((part.kind, tokens))
    return "\n".join(join(tokens) for _, tokens in kept).encode(errors="surrogateescape")
