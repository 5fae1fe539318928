"""Find the inline namespaces around kernels in preprocessed text.

A mangled name does not tell which of its namespaces are inline. A header that declares them without
``inline`` could not be included before a header that declares them with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.outline import divide
from kbuild.cxx.tokens import drop_attributes, read_tokens
from kbuild.demangle.names import split_function

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
    found = _list_inline(text.decode(errors="surrogateescape"))
    return tuple(sorted({"::".join(names) for names in found if names in enclosing}))


def _list_inline(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the inline namespaces, each with all of its scopes."""
    opened: list[tuple[str, ...]] = []
    for part in divide(text):
        if part.kind == "close":
            opened = opened[:-1]
        elif part.kind == "open":
            names = opened[-1] if opened else ()
            is_inline = False
            for token in drop_attributes(read_tokens(text[part.start : part.head])):
                if token.text in _SPELLINGS:
                    is_inline = True
                elif token.is_word and token.text not in ("namespace", "extern"):
                    names = (*names, token.text)
                    if is_inline:
                        yield names
                    is_inline = False
            opened.append(names)
