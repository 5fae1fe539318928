"""Find the inline namespaces around kernels in preprocessed text.

A mangled name does not tell which of its namespaces are inline. A header that declares them without
``inline`` could not be included before a header that declares them with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.tokens import drop_attributes, list_tokens
from kbuild.demangle.names import split_function

# The second form, `namespace a::inline b {`, is C++20.
_INLINE: Final = re.compile(
    r"\b(?:(?:__)?inline(?:__)?\s+namespace\b|namespace\b[^;{}()=]*?::\s*inline\b)[^;{}]*\{"
)
_SPELLINGS: Final = frozenset(("inline", "__inline", "__inline__"))


def split_scopes(display: str) -> tuple[str, ...]:
    """Return the scopes in a kernel's demangled name; none for an instance of a template."""
    qualified = split_function(display)[0]
    return () if "<" in qualified else tuple(qualified.split("::")[:-1])


def find_inline_namespaces(text: bytes, displays: Iterable[str]) -> tuple[str, ...]:
    """Return the qualified names of the inline namespaces around kernels.

    Args:
        text: The preprocessed source.
        displays: The demangled names of the kernels.
    """
    scopes = {split_scopes(display) for display in displays}
    enclosing = {names[:depth] for names in scopes for depth in range(1, len(names) + 1)}
    if not enclosing or b"inline" not in text:
        return ()
    last = {names[-1] for names in enclosing}
    decoded = text.decode(errors="surrogateescape")
    found = (
        names
        for match in _INLINE.finditer(decoded)
        if any(name in match[0] for name in last)
        for names in _read_head(decoded, match)
    )
    return tuple(sorted({"::".join(names) for names in found if names in enclosing}))


def _read_head(text: str, match: re.Match[str]) -> Iterator[tuple[str, ...]]:
    """Yield the inline namespaces that one definition opens, each with all of its scopes."""
    tokens = drop_attributes(list(list_tokens(text, match.start(), match.end() - 1)))
    names = find_scopes(text).name_namespace(match.start())
    is_inline = False
    for token in tokens:
        if token.text in _SPELLINGS:
            is_inline = True
        elif token.is_word and token.text != "namespace":
            names = (*names, token.text)
            if is_inline:
                yield names
            is_inline = False
