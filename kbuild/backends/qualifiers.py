"""The qualifiers of the device language, as preprocessed mixed sources spell them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.declarators import find_declarator, find_type_end, split_initializer
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Edit
from kbuild.cxx.tokens import split_at_commas
from kbuild.values import dataclass

GLOBAL: Final = "__kbuild_global__"
DEVICE: Final = "__kbuild_device__"
CONSTANT: Final = "__kbuild_constant__"
MANAGED: Final = "__kbuild_managed__"
HOST: Final = "__kbuild_host__"
SHARED: Final = "__kbuild_shared__"
QUALIFIERS: Final = frozenset((GLOBAL, DEVICE, CONSTANT, MANAGED, HOST))
_SPECIFIERS: Final = QUALIFIERS | {SHARED, "static", "extern", "inline", '"C"'}


@dataclass(frozen=True, slots=True)
class Declarator:
    """One declared name of a variable declaration, the start of its initializer, and its end."""

    name: Token
    initializer: Token | None
    end: Token

    @property
    def is_initialized(self) -> bool:
        """Whether it has an initializer; one in parentheses does not count."""
        return self.initializer is not None


def is_device_only(found: Declaration) -> bool:
    """Return whether host code has no version of the function."""
    return found.kind == "function" and (
        GLOBAL in found.words or (DEVICE in found.words and HOST not in found.words)
    )


def is_variable(found: Declaration) -> bool:
    """Return whether it declares variables that the host can name."""
    return not found.template and _is_nameable(found)


def is_variable_template(found: Declaration) -> bool:
    """Return whether it declares a variable template whose instances the host can name."""
    return bool(found.template) and _is_nameable(found)


def _is_nameable(found: Declaration) -> bool:
    return (
        found.kind == "variable"
        and not found.is_instantiation
        and bool(found.words & {DEVICE, CONSTANT, MANAGED})
        and all(token.text != SHARED for token in found.head)
        and found.scope in ("", "namespace", "language")
    )


def list_declarators(found: Declaration) -> Iterator[Declarator]:
    """Yield the declared names of a variable declaration."""
    tokens = [token for token in found.head if token.text not in _SPECIFIERS]
    first, *others = split_at_commas(tokens) or [[]]  # the text can end in a declaration
    base = first[: find_type_end(first, 0)]
    for declarator in (first[len(base) :], *others):
        whole = [*base, *declarator]
        body, _ = split_initializer(whole)
        _, place = find_declarator(body)
        if place is not None:
            braces = (i for i in range(place, len(body)) if body[i].text == "{")
            initializer = whole[next(braces, len(body)) :]
            yield Declarator(body[place], initializer[0] if initializer else None, declarator[-1])


def list_words(found: Declaration, words: frozenset[str]) -> list[Edit]:
    """Return edits that remove these words from the specifiers of a declaration."""
    depth = 0
    edits = []
    for token in found.head:
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        elif depth == 0 and token.text == "=":
            break
        elif depth == 0 and token.text in words:
            edits.append(Edit(start=token.start, end=token.end, text=""))
    return edits
