"""Names in the body of a kernel, and what happens to them there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.declarators import TYPE_OPERATORS, TYPE_WORDS
from kbuild.cxx.unit import Unit

KEYWORDS: Final = (
    TYPE_WORDS
    | TYPE_OPERATORS
    | frozenset(
        (
            *("return", "break", "continue", "if", "else", "for", "while", "do", "switch", "case"),
            *("default", "goto", "sizeof", "alignof", "true", "false", "nullptr", "this", "new"),
            *("delete", "throw", "using", "typedef", "template", "typename", "static", "extern"),
            *(
                "static_cast",
                "reinterpret_cast",
                "const_cast",
                "operator",
                "noexcept",
                "static_assert",
            ),
        )
    )
)
# The properties of a group that all threads of the block share, and those of each thread.
OF_BLOCKS: Final = frozenset(
    ("size", "num_threads", "group_dim", "dim_threads", "group_index", "meta_group_size")
)
OF_GROUPS: Final = OF_BLOCKS | {"thread_rank", "thread_index", "meta_group_rank"}


def list_names(unit: Unit, first: int, last: int) -> Iterator[int]:
    """Yield the indices of the names in a part of a text that can be those of variables."""
    for index in range(first, last):
        word = unit.words[index]
        if not (word[0].isalpha() or word[0] in "_$") or word in KEYWORDS:
            continue
        before = unit.words[index - 1] if index > first else unit.get(index - 1)
        if before not in (".", "->", "::") and unit.get(index + 1) != "::":
            yield index


def asks_for_index(unit: Unit, index: int) -> bool:
    """Return whether an expression with a variable for a group can differ between threads."""
    return unit.get(index + 1) != "." or unit.get(index + 2) not in OF_BLOCKS
