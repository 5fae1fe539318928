"""Find the inline namespaces around kernels in preprocessed text.

A mangled name does not tell which of its namespaces are inline. A header that declares them without
``inline`` could not be included before a header that declares them with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.tokens import drop_attributes
from kbuild.cxx.unit import Unit
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
    last = {names[-1] for names in enclosing}
    names = "|".join(map(re.escape, sorted(last))).encode()
    # Few sources have one, and reading the tokens of all headers takes time.
    if re.search(rb"\bnamespace\b[^;{}()=]*\b(?:" + names + rb")\b[^;{}()=]*\{", text) is None:
        return ()
    code = Unit(text.decode(errors="surrogateescape"))
    found = (
        names
        for index in code.find(_SPELLINGS)
        if last & set(_list_head(code, index))
        for names in _read_head(code, index)
    )
    return tuple(sorted({"::".join(names) for names in found if names in enclosing}))


def _list_head(code: Unit, index: int) -> list[str]:
    """Return the words from ``namespace`` to the brace that a word belongs to; else none."""
    start = code.find_head(index)
    end = code.find_declaration_end(index) or index
    words = code.words[start : end - 1]
    return words if "namespace" in words[:2] and code.get(end - 1) == "{" else []


def _read_head(code: Unit, index: int) -> Iterator[tuple[str, ...]]:
    """Yield the inline namespaces that one definition opens, each with all of its scopes."""
    start = code.find_head(index)
    end = code.find_declaration_end(index) or index
    names = find_scopes(code).name_namespace(code.starts[start])
    is_inline = False
    for token in drop_attributes(code.list_between(start, end - 1)):
        if token.text in _SPELLINGS:
            is_inline = True
        elif token.is_word and token.text != "namespace":
            names = (*names, token.text)
            if is_inline:
                yield names
            is_inline = False
