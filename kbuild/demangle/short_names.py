"""Short forms of demangled names, for people.

The name of an instantiated template can have thousands of characters. A short form has no
return type and no parameters, and leaves out template arguments, for example
``cub::DeviceReduceKernel<...>``. Short forms that are made together differ if the names differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from kbuild.demangle.names import mask_operators, scan_brackets, split_function

# Names up to this length keep their template arguments.
_SHORT: Final = 64
# Of longer forms, only the start and the end are shown.
_LONGEST: Final = 120
_KEPT: Final = (70, 40)
_ELLIPSIS: Final = "..."
# Limits for forged names: the characters and the nested brackets of a name, and the brackets
# of a sentence that nothing closes.
_LONGEST_NAME: Final = 1 << 18
_DEEPEST: Final = 64
_MOST_UNCLOSED: Final = 8
# Libraries keep their versions apart with namespaces such as _V_300303_SM_750_800_900.
_VERSION: Final = re.compile(r"\b[A-Z_]*_\d{5,}[A-Z\d_]*::")
# The namespaces of a template argument.
_NAMESPACES: Final = re.compile(r"(?:\w+::|\(anonymous namespace\)::)+(?=\w)")
# The start of a name in a sentence. Kernels return void.
_START: Final = re.compile(r"(?<![^\s(,'\"])(?:void )?(?=[A-Za-z_]|\(anonymous namespace\)::)")
_OPENING: Final = frozenset("(<[{")
_BREAK: Final = re.compile(r"[\s,;'\"()<>\[\]{}]")
_END: Final = re.compile(r"[\s,;'\"]")
_CALLED: Final = re.compile(r"[\w>}]")
_SCOPES: Final = re.compile(r"[\w:~$]+")


@dataclass(frozen=True, slots=True)
class _List:
    """Template arguments or parameters in a name."""

    opening: str
    items: tuple[_Tree, ...]


# Text and lists in order.
_Tree: TypeAlias = tuple["str | _List", ...]
# The list of a tree and the item of the list.
_Column: TypeAlias = tuple[int, int]


def shorten_names(names: Iterable[str]) -> dict[str, str]:
    """Return a short form of each demangled name. Different names have different forms."""
    whole = {name: _drop_return_type(name) for name in dict.fromkeys(names)}
    short = _tell_apart([_parse(_VERSION.sub("", text)) for text in whole.values()])
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


def shorten_texts(texts: Iterable[str]) -> Iterator[str]:
    """Yield sentences with short forms of the C++ names that they contain."""
    found = [(text, tuple(_find_names(text))) for text in texts]
    forms = shorten_names(text[start:end] for text, spans in found for start, end in spans)
    for text, spans in found:
        parts, done = [], 0
        for start, end in spans:
            parts += [text[done:start], forms[text[start:end]]]
            done = end
        yield "".join([*parts, text[done:]])


def _find_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each scoped, templated, or very long name in a sentence."""
    masked, _ = mask_operators(text)
    position = unclosed = 0
    # A forged name can contain many brackets that nothing closes.
    while unclosed < _MOST_UNCLOSED and (match := _START.search(masked, position)):
        start = match.end()
        # Most words have no brackets, so what follows them does not matter.
        stop = _BREAK.search(masked, start)
        is_plain = stop is not None and stop[0] not in _OPENING
        limit = stop.end() if stop and is_plain else start + _LONGEST_NAME
        end = _find_end(masked[start:limit])
        unclosed += end is None
        if end:
            yield match.start(), start + end
        position = start + (end or 1)


def _find_end(masked: str) -> int | None:
    """Return the length of the C++ name at the start of a text.

    Returns:
        0 if the text starts with another word; None if it starts with an unclosed bracket.
    """
    outside, done = "", 0
    for position, bracket, before, after in scan_brackets(masked):
        if before == 0:
            stop = _END.search(masked, done, position)
            end = stop.start() if stop else position
            outside += masked[done:end]
            if stop or not bracket or after == 0:
                break
        if after == 0:
            done = position + 1
    else:
        return None
    scopes = outside.rstrip(":.")
    has_brackets = len(outside) < end
    is_name = "::" in scopes or has_brackets or len(scopes) > _LONGEST
    return end - len(outside) + len(scopes) if is_name and _SCOPES.fullmatch(scopes) else 0


def _drop_return_type(display: str) -> str:
    name, _ = split_function(display)
    return display[display.index(name) :]


def _cut(text: str) -> str:
    first, last = _KEPT
    return text if len(text) <= _LONGEST else f"{text[:first]}{_ELLIPSIS}{text[-last:]}"


@dataclass(slots=True)
class _Frame:
    """An open bracket while a name is parsed, with the items inside it."""

    opening: str
    is_list: bool
    items: list[list[str | _List]] = field(default_factory=lambda: [[]])

    def add(self, text: str) -> None:
        """Add text, in which a comma separates the items of a list."""
        first, *others = text.split(",") if self.is_list else [text]
        self.items[-1].append(first)
        self.items += [[other.lstrip()] for other in others]

    def finish(self) -> _List:
        """Return the finished list."""
        items = tuple(
            tuple(piece for piece in item if piece not in {"", " "}) for item in self.items
        )
        return _List(self.opening, items if items != ((),) else ())

    def flatten(self) -> Iterator[str | _List]:
        """Yield the content as text, because the bracket does not open a list."""
        yield self.opening
        for number, item in enumerate(self.items):
            yield from [", "] if number else []
            yield from item


def _parse(text: str) -> _Tree:
    """Return the lists of a name. Other brackets are text."""
    masked, _ = mask_operators(text)
    frames, done = [_Frame("", is_list=False)], 0
    for position, bracket, before, after in scan_brackets(masked):
        frames[-1].add(text[done:position])
        done = position + 1
        if after > before:
            if after > _DEEPEST:
                return (text,)
            is_call = bracket == "(" and _CALLED.match(masked, position - 1) is not None
            frames.append(_Frame(bracket, is_list=bracket == "<" or is_call))
            continue
        # In `(a<b)`, the last bracket closes the first, and the other is an operator.
        left = after + 1 if bracket and after < before else after if bracket else 0
        while len(frames) - 1 > left:
            frames[-2].items[-1] += frames.pop().flatten()
        if bracket and after < before:
            frame = frames.pop()
            content = [frame.finish()] if frame.is_list else [*frame.flatten(), bracket]
            frames[-1].items[-1] += content
        else:
            frames[-1].items[-1].append(bracket)
    return tuple(frames[0].items[0])


def _spell(tree: _Tree, *, is_whole: bool) -> str:
    """Return a name without parameters, with or without its template arguments."""
    return "".join(
        piece if isinstance(piece, str) else _spell_list(piece, is_whole=is_whole) for piece in tree
    )


def _spell_list(one: _List, *, is_whole: bool) -> str:
    if one.opening == "(":
        return ""
    items = [_spell(item, is_whole=True) for item in one.items] if is_whole else []
    return f"<{', '.join(items) if is_whole or not one.items else _ELLIPSIS}>"


def _tell_apart(trees: Sequence[_Tree]) -> list[str]:
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


def _show_differences(trees: Sequence[_Tree]) -> list[str]:
    """Return names with equal text, in which only items of lists differ."""
    lists = [tuple(piece for piece in tree if isinstance(piece, _List)) for tree in trees]
    columns = _choose_columns(lists)
    short = {column: _shorten_column(lists, column) for column in columns}
    return [_spell_columns(tree, short) for tree in trees]


def _choose_columns(lists: Sequence[tuple[_List, ...]]) -> list[_Column]:
    """Return the columns that are necessary to tell the names apart, template arguments first."""
    width = min(map(len, lists))
    sizes = [max(len(row[number].items) for row in lists) for number in range(width)]
    columns = [(number, item) for number in range(width) for item in range(sizes[number])]
    columns.sort(key=lambda column: lists[0][column[0]].opening == "(")
    keys: list[tuple[_Tree | None, ...]] = [()] * len(lists)
    chosen = []
    for column in columns:
        if len(set(keys)) == len(lists):
            break
        longer = [(*key, _item(row, column)) for key, row in zip(keys, lists, strict=True)]
        if len(set(longer)) > len(set(keys)):
            keys = longer
            chosen.append(column)
    return chosen


def _item(row: tuple[_List, ...], column: _Column) -> _Tree | None:
    items = row[column[0]].items
    return items[column[1]] if column[1] < len(items) else None


def _shorten_column(lists: Sequence[tuple[_List, ...]], column: _Column) -> dict[_Tree, str]:
    items = list(dict.fromkeys(item for row in lists if (item := _item(row, column)) is not None))
    forms = _tell_apart(items)
    bare = [
        _NAMESPACES.sub("", form, count=1) if _NAMESPACES.match(form) else form for form in forms
    ]
    return dict(zip(items, bare if len(set(bare)) == len(items) else forms, strict=True))


def _spell_columns(tree: _Tree, short: dict[_Column, dict[_Tree, str]]) -> str:
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
