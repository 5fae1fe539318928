"""Readable names of kernels and parameters in languages without overloads and templates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from kbuild.demangle.names import split_function
from kbuild.model import KernelRecord

# Parts of spelled types that no identifier can have, and words in their place.
_WORDS = (("unsigned ", "u"), ("signed ", "s"), ("long long", "longlong"), ("*", " ptr "))
_DROPPED = re.compile(r"\b(?:const|volatile|__restrict__|__restrict)\b")


def identifier(name: str) -> str:
    """Convert a name to a C identifier, for example ``ns::scale`` to ``ns_scale``."""
    return re.sub(r"\W", "_", name.replace("::", "_"), flags=re.ASCII)


def read_words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def name_kernels(kernels: Sequence[KernelRecord]) -> tuple[str, ...]:
    """Return one identifier per kernel.

    It is the qualified name without template arguments if no other kernel has that name, then with
    template arguments, then with parameter types, and otherwise with a number.
    """
    forms = [tuple(_list_forms(kernel)) for kernel in kernels]
    counts = [Counter(column) for column in zip(*forms, strict=True)]
    chosen = [
        next((form for form, count in zip(row, counts, strict=True) if count[form] == 1), row[-1])
        for row in forms
    ]
    return make_unique(chosen)


def _list_forms(kernel: KernelRecord) -> Iterator[str]:
    qualified, parameters = split_function(kernel.display)
    yield _make_identifier(_remove_arguments(qualified))
    yield _make_identifier(qualified)
    yield _make_identifier(f"{qualified} {' '.join(parameters or ())}")


def _remove_arguments(qualified: str) -> str:
    """Return a qualified name without its last list of template arguments."""
    if not qualified.endswith(">"):
        return qualified
    depth = 0
    for position in range(len(qualified) - 1, -1, -1):
        depth += {">": 1, "<": -1}.get(qualified[position], 0)
        if depth == 0:
            return qualified[:position]
    return qualified


def _make_identifier(text: str) -> str:
    text = _DROPPED.sub(" ", text)
    for spelled, word in _WORDS:
        text = text.replace(spelled, word)
    text = "_".join(re.findall(r"\w+", text.replace("::", " "), re.ASCII))
    return text if text and not text[0].isdigit() else f"kernel_{text}"


def make_unique(
    names: Iterable[str],
    reserved: Container[str] = (),
    *,
    longest: int | None = None,
    ignores_case: bool = False,
) -> tuple[str, ...]:
    """Change names so that no two are the same, and none is reserved.

    Args:
        names: The names.
        reserved: Names that have another meaning, in lower case if case is ignored.
        longest: The most characters of a name.
        ignores_case: Whether names that differ only in case are the same.
    """
    taken: set[str] = set()
    unique = []
    for name in names:
        candidate, number = name[:longest], 1
        while _fold(candidate, ignores_case) in taken or _fold(candidate, ignores_case) in reserved:
            number += 1
            suffix = f"_{number}"
            candidate = f"{name[: longest - len(suffix) if longest else None]}{suffix}"
        taken.add(_fold(candidate, ignores_case))
        unique.append(candidate)
    return tuple(unique)


def _fold(name: str, ignores_case: bool) -> str:
    return name.lower() if ignores_case else name
