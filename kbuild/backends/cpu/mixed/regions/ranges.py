"""Loops over ranges around operations.

``for (T x : r) body`` means ``auto&& range = r; auto begin = ..., end = ...; for (; begin != end;
++begin) { T x = *begin; body }`` ([stmt.ranged]). The generated code says that, with a range and
iterators for each thread. See ``range_loop`` in ``kbuild_cpu/regions/ranges.h``.
"""

from __future__ import annotations

from typing import Final

from kbuild.backends.cpu.mixed.regions.grammar.expressions import is_name
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.model import CannotDivide
from kbuild.backends.cpu.mixed.regions.variables import list_variables
from kbuild.cxx.places import list_outside
from kbuild.cxx.statements import Block, Node, Statement
from kbuild.cxx.unit import Unit
from kbuild.values import replace

# The kind of such a loop, whose head consists of the declaration and the initializer.
RANGE: Final = "for :"
_OBJECT: Final = frozenset((".", "->", "::", "[", "]", "*"))


def split_head(unit: Unit, block: Block) -> Block:
    """Return a loop over a range with a head of two statements, and other blocks as they are."""
    head = block.children[0] if block.kind == "for" and block.heads == 1 else None
    if not isinstance(head, Statement):
        return block
    outside = list_outside(unit, head.start, head.stop)
    colon = next((index for index in outside if unit.words[index] == ":"), None)
    if colon is None:
        return block
    parts = (Statement(head.start, colon), Statement(colon + 1, head.stop))
    return replace(block, children=(*parts, *block.children[1:]), kind=RANGE, heads=len(parts))


def read_range(block: Block) -> tuple[Statement, Statement]:
    """Return the declaration and the initializer of a loop over a range."""
    declaration, initializer = map(read_head, block.children[:2])
    return declaration, initializer


def read_head(node: Node) -> Statement:
    """Return a part of the head of a block."""
    if not isinstance(node, Statement):
        raise CannotDivide("the head of a statement has an unknown form")
    return node


def check_range(unit: Unit, block: Block) -> None:
    """Raise CannotDivide if a loop over a range has a form that is not divided."""
    declaration, initializer = read_range(block)
    found = tuple(list_variables(unit, block, declaration))
    names = {unit.words[i] for i in list_names(unit, initializer.start, initializer.stop)}
    is_known = len(found) == 1 and found[0].name not in names
    if not is_known or unit.get(initializer.start) == "{":
        raise CannotDivide("a loop over a range has an unknown form")


def names_object(unit: Unit, initializer: Statement) -> bool:
    """Return whether an expression names an object: it does not convert a temporary one."""
    words = unit.words[initializer.start : initializer.stop]
    return all(is_name(word) or word.isdigit() or word in _OBJECT for word in words)
