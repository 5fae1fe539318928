"""Demangled names as trees: text, and lists of template arguments or parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final, TypeAlias

from kbuild.demangle.names import mask_operators, scan_brackets
from kbuild.values import dataclass

# A forged name can have more nested brackets.
_DEEPEST: Final = 64
# The text in front of a list of parameters.
_CALLED: Final = re.compile(r"[\w>}]")


@dataclass(frozen=True, slots=True)
class NameList:
    """Template arguments or parameters in a name."""

    opening: str
    items: tuple[NameTree, ...]


# Text and lists in order.
NameTree: TypeAlias = tuple["str | NameList", ...]


@dataclass(slots=True)
class _Frame:
    """An open bracket while a name is parsed, with the items inside it."""

    opening: str
    is_list: bool
    items: list[list[str | NameList]] = field(default_factory=lambda: [[]])

    def add(self, text: str) -> None:
        """Add text, in which a comma separates the items of a list."""
        first, *others = text.split(",") if self.is_list else [text]
        self.items[-1].append(first)
        self.items += [[other.lstrip()] for other in others]

    def finish(self) -> NameList:
        """Return the finished list."""
        items = tuple(
            tuple(piece for piece in item if piece not in {"", " "}) for item in self.items
        )
        return NameList(self.opening, items if items != ((),) else ())

    def flatten(self) -> Iterator[str | NameList]:
        """Yield the content as text, because the bracket does not open a list."""
        yield self.opening
        for number, item in enumerate(self.items):
            yield from [", "] if number else []
            yield from item


def parse_name(text: str) -> NameTree:
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
