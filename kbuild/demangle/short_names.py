"""Short forms of demangled names, for people.

The name of an instantiated template can have thousands of characters. A short form has no
return type and no parameters, and leaves out template arguments, for example
``cub::DeviceReduceKernel<...>``. Short forms that are made together differ if the names differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from kbuild.demangle.name_trees import NameList, NameTree, parse_name
from kbuild.demangle.names import split_function

# Names up to this length keep their template arguments.
_SHORT: Final = 64
# Of longer forms, only the start and the end are shown.
_LONGEST: Final = 120
_KEPT: Final = (70, 40)
_ELLIPSIS: Final = "..."
# Libraries keep their versions apart with namespaces such as _V_300303_SM_750_800_900.
_VERSION: Final = re.compile(r"\b[A-Z_]*_\d{5,}[A-Z\d_]*::")
# The namespaces of a template argument, or the type of a constant, as in `(ns::kind)3`.
_PREFIX: Final = re.compile(
    r"\A(?:(?:\w+::|\(anonymous namespace\)::)+(?=\w)|\((?:\w+::)*[\w ]+\)(?=[-\w]))"
)
# The list of a tree and the item of the list.
_Column: TypeAlias = tuple[int, int]


def shorten_names(names: Iterable[str]) -> dict[str, str]:
    """Return a short form of each demangled name. Different names have different forms."""
    whole = {name: _drop_return_type(name) for name in dict.fromkeys(names)}
    short = _tell_apart([parse_name(_VERSION.sub("", text)) for text in whole.values()])
    forms = {
        name: (_cut(form), form, text, name)
        for (name, text), form in zip(whole.items(), short, strict=True)
    }
    # A form that two names share is of no use. Almost all names have their first form.
    steps = dict.fromkeys(forms, 0)
    while shared := _find_shared({name: forms[name][step] for name, step in steps.items()}):
        for name in shared:
            steps[name] += 1
    return {name: forms[name][step] for name, step in steps.items()}


def _find_shared(forms: dict[str, str]) -> list[str]:
    counts = Counter(forms.values())
    return [name for name, form in forms.items() if counts[form] > 1 and form != name]


def _drop_return_type(display: str) -> str:
    name, _ = split_function(display)
    return display[display.index(name) :]


def _cut(text: str) -> str:
    first, last = _KEPT
    return text if len(text) <= _LONGEST else f"{text[:first]}{_ELLIPSIS}{text[-last:]}"


def _spell(tree: NameTree, *, is_whole: bool) -> str:
    """Return a name without parameters, with or without its template arguments."""
    return "".join(
        piece if isinstance(piece, str) else _spell_list(piece, is_whole=is_whole) for piece in tree
    )


def _spell_list(one: NameList, *, is_whole: bool) -> str:
    if one.opening == "(":
        return ""
    items = [_spell(item, is_whole=True) for item in one.items] if is_whole else []
    return f"<{', '.join(items) if is_whole or not one.items else _ELLIPSIS}>"


def _tell_apart(trees: Sequence[NameTree]) -> list[str]:
    """Return a form of each name. Different names have different forms, if that is easy."""
    forms = [_spell(tree, is_whole=False) for tree in trees]
    groups: dict[str, list[int]] = {}
    for number, form in enumerate(forms):
        groups.setdefault(form, []).append(number)
    for group in groups.values():
        wholes = [_spell(trees[number], is_whole=True) for number in group]
        if max(map(len, wholes)) > _SHORT or len(set(wholes)) < len(group):
            wholes = _show_differences([trees[number] for number in group])
        for number, whole in zip(group, wholes, strict=True):
            forms[number] = whole
    return forms


def _show_differences(trees: Sequence[NameTree]) -> list[str]:
    """Return names with equal text, in which only items of lists differ."""
    lists = [tuple(piece for piece in tree if isinstance(piece, NameList)) for tree in trees]
    columns = _choose_columns(lists)
    short = {column: _shorten_column(lists, column) for column in columns}
    return [_spell_columns(tree, short) for tree in trees]


def _choose_columns(lists: Sequence[tuple[NameList, ...]]) -> list[_Column]:
    """Return the columns that are necessary to tell the names apart, template arguments first."""
    width = min(map(len, lists))
    sizes = [max(len(row[number].items) for row in lists) for number in range(width)]
    columns = [(number, item) for number in range(width) for item in range(sizes[number])]
    columns.sort(key=lambda column: lists[0][column[0]].opening == "(")
    keys: list[tuple[NameTree | None, ...]] = [()] * len(lists)
    chosen = []
    for column in columns:
        if len(set(keys)) == len(lists):
            break
        longer = [(*key, _item(row, column)) for key, row in zip(keys, lists, strict=True)]
        if len(set(longer)) > len(set(keys)):
            keys = longer
            chosen.append(column)
    return chosen


def _item(row: tuple[NameList, ...], column: _Column) -> NameTree | None:
    items = row[column[0]].items
    return items[column[1]] if column[1] < len(items) else None


def _shorten_column(lists: Sequence[tuple[NameList, ...]], column: _Column) -> dict[NameTree, str]:
    items = list(dict.fromkeys(item for row in lists if (item := _item(row, column)) is not None))
    forms = _tell_apart(items)
    bare = [_PREFIX.sub("", form) for form in forms]
    return dict(zip(items, bare if len(set(bare)) == len(items) else forms, strict=True))


def _spell_columns(tree: NameTree, short: dict[_Column, dict[NameTree, str]]) -> str:
    """Return a name that shows only the items in some columns of its lists."""
    text, number = "", 0
    for piece in tree:
        if isinstance(piece, str):
            text += piece
            continue
        items = [short.get((number, i), {}).get(item) for i, item in enumerate(piece.items)]
        if piece.opening == "<" or any(items):
            close = ")" if piece.opening == "(" else ">"
            parts = [item or _ELLIPSIS for item in items]
            merged = [
                part
                for part, before in zip(parts, ["", *parts], strict=False)
                if not part == before == _ELLIPSIS
            ]
            text += f"{piece.opening}{', '.join(merged)}{close}"
        number += 1
    return text
