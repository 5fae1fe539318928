"""Declare siblings of functions that have the names of kernels, so that launches see all overloads.

A launch becomes a call of the kernel's sibling. The functions take part in the overload resolution
of ``gelu<<<grid, block>>>(p, n)``, and hide kernels of outer namespaces. Their siblings do so, too.
They have the configuration as an additional first parameter and are never defined: a launch that
selects one of them is an error, as it is for nvcc.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.heads import find_template_end
from kbuild.cxx.lexer import Token
from kbuild.cxx.lines import locate
from kbuild.cxx.tokens import OWN_WORD, join, match_brackets
from kbuild.cxx.unit import Unit


def select_mirrored(unit: Unit, functions: Iterable[Declaration]) -> Iterator[Declaration]:
    """Yield the functions that get siblings: those outside of system headers."""
    for found in functions:
        if not locate(unit.text, found.start).is_system:
            yield found


def write_mirror(unit: Unit, found: Declaration, sibling: str, parameter: str) -> str:
    """Return the declaration of a function's sibling.

    Args:
        unit: The text.
        found: The function's declaration.
        sibling: The name of the sibling.
        parameter: The declaration of its additional parameter.
    """
    first, last = found.parameters
    message = f"kbuild: '{found.name}' with these arguments is a function, which has no launch"
    head = _drop_own_words(unit.list_tokens(found.start, first - 1))
    place = find_template_end(head)
    if [token.text for token in head[place : place + 1]] == ["extern"]:
        place += 1 + (head[place + 1].text[:1] == '"')
    name = max(index for index, token in enumerate(head) if token.text == found.name)
    parameters = join(_drop_own_words(unit.list_tokens(first, last)))
    parameters = "" if parameters == "void" else parameters
    return (
        f'{join(head[:place])} __attribute__((error("{message}"))) {join(head[place:name])} '
        f"{sibling}({parameter}{', ' if parameters else ''}{parameters}) "
        f"{join(_list_after(unit, found))};"
    ).lstrip()


def _list_after(unit: Unit, found: Declaration) -> list[Token]:
    """Return what follows the parameters: qualifiers, the result type, and constraints."""
    tokens = _drop_own_words(unit.list_tokens(found.parameters[1] + 1, found.head_end))
    partners = match_brackets(tokens)
    index = 0
    while index < len(tokens) and tokens[index].text not in ("=", ";"):
        index = partners.get(index, index) + 1
    return tokens[:index]


def _drop_own_words(tokens: list[Token]) -> list[Token]:
    """Return the tokens without the words for qualifiers, and without their arguments."""
    partners = match_brackets(tokens)
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        if not tokens[index].text.startswith(OWN_WORD):
            kept.append(tokens[index])
        elif index + 1 < len(tokens) and tokens[index + 1].text == "(":
            index = partners.get(index + 1, index + 1)
        index += 1
    return kept
