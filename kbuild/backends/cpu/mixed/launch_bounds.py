"""Find what declarations of kernels say about launches: the arguments as they are spelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.declarators import find_declarator, split_initializer
from kbuild.cxx.tokens import join, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_BOUNDS: Final = "__kbuild_launch_bounds__"
_CLUSTER: Final = "__kbuild_cluster_dims__"


@dataclass(frozen=True, slots=True)
class LaunchBounds:
    """The arguments of ``__launch_bounds__`` and ``__cluster_dims__``; empty without them."""

    block: str = ""
    cluster: str = ""


def find_launch_bounds(
    code: Unit, declarations: tuple[Declaration, ...]
) -> Mapping[int, LaunchBounds]:
    """Return the bounds of the definitions of kernels, by the starts of these.

    A definition without bounds has those of an earlier declaration, as with nvcc.
    """
    bounds: dict[int, LaunchBounds] = {}
    declared: dict[object, LaunchBounds] = {}
    for found in declarations:
        if found.kind != "function" or q.GLOBAL not in found.words:
            continue
        own = LaunchBounds(
            _read_arguments(code, found, _BOUNDS), _read_arguments(code, found, _CLUSTER)
        )
        is_bounded = bool(own.block or own.cluster)
        if found.body is None and is_bounded:
            declared[identify(code, found)] = own
        elif found.body is not None and (is_bounded or declared):
            before = declared.get(identify(code, found), LaunchBounds())
            bounds[found.start] = LaunchBounds(
                own.block or before.block, own.cluster or before.cluster
            )
    return bounds


def _read_arguments(code: Unit, found: Declaration, word: str) -> str:
    first, last = map(code.find_index, (found.start, found.parameters[0]))
    if word not in code.words[first:last]:
        return ""
    opening = code.words.index(word, first) + 1
    return join(code.list_between(opening + 1, code.partners.get(opening, opening)))


def identify(code: Unit, found: Declaration) -> object:
    """Return what the declarations of one function have in common."""
    types = []
    for parameter in split_at_commas(code.list_tokens(*found.parameters)):
        body, _ = split_initializer(parameter)
        _, name = find_declarator(body)
        types.append(tuple(token.text for index, token in enumerate(body) if index != name))
    kind = (bool(found.template), found.is_specialization)
    return found.namespaces, found.name, kind, tuple(types)
