"""The facts about a text that two readers of C++ must agree on. Positions are offsets in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.cxx.lines import locate

_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A declared name, or a lambda, that one of CUDA's words marks.

    Attributes:
        position: The position of the name. A lambda has that of the ``]`` before its first word.
        kind: What is declared. A ``lambda`` has only its words.
        words: The words, in the order of the alphabet.
        namespaces: The names of the namespaces around it; unnamed ones are empty.
        scope: The innermost scope; empty for namespaces.
        is_template: Whether it is a template. This is not known of a qualified name, because its
            template headers can be those of classes.
        parameters: The number of a function's parameters, without an ellipsis.
        is_defined: Whether a function has a body.
    """

    position: int
    kind: Literal["function", "variable", "lambda"]
    words: tuple[str, ...]
    namespaces: tuple[str, ...] = ()
    scope: Literal["class", "block", ""] = ""
    is_template: bool = False
    parameters: int = 0
    is_defined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """A launch.

    Attributes:
        position: The position of ``<<<``.
        start: The position of the expression.
        end: The position after the expression.
        configuration: The number of expressions in the configuration.
        arguments: The number of arguments.
    """

    position: int
    start: int
    end: int
    configuration: int
    arguments: int


Fact: TypeAlias = Declared | Launched


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two readers disagree.

    Attributes:
        place: The file and line.
        code: The line.
        ours: What kbuild's reader found; None if it found nothing.
        theirs: What libclang found; None if it found nothing.
        error: libclang's error in the lines of the code for which it found nothing.
    """

    place: str
    code: str
    ours: Fact | None
    theirs: Fact | None
    error: str = ""

    def __str__(self) -> str:
        facts = f"  kbuild:   {self.ours}\n  libclang: {self.theirs} {self.error}".rstrip()
        return f"{self.place}: {self.code}\n{facts}"


def find_differences(
    text: str,
    ours: frozenset[Fact],
    theirs: frozenset[Fact],
    errors: tuple[tuple[int, str], ...],
) -> tuple[Difference, ...]:
    """Return where two readers disagree, in order.

    Args:
        text: The text.
        ours: What kbuild's reader found.
        theirs: What libclang found.
        errors: libclang's errors, with the numbers of the lines in the text.
    """
    found = {_identify(fact): fact for fact in ours}
    expected = {_identify(fact): fact for fact in theirs}
    return tuple(
        _describe(text, found.get(key), expected.get(key), key[0], errors)
        for key in sorted({*found, *expected})
        if found.get(key) != expected.get(key)
    )


def _identify(fact: Fact) -> tuple[int, bool]:
    return fact.position, isinstance(fact, Launched)


def _describe(
    text: str,
    ours: Fact | None,
    theirs: Fact | None,
    position: int,
    errors: tuple[tuple[int, str], ...],
) -> Difference:
    error = _find_error(text, ours, errors) if ours is not None and theirs is None else ""
    return Difference(str(locate(text, position)), _find_line(text, position), ours, theirs, error)


def _find_error(text: str, fact: Fact, errors: tuple[tuple[int, str], ...]) -> str:
    start, end = (
        (fact.start, fact.end) if isinstance(fact, Launched) else (fact.position, fact.position)
    )
    first = text.count("\n", 0, start) + 1
    last = first + text.count("\n", start, end)
    return next((message for line, message in errors if first <= line <= last), "")


def is_qualified(text: str, position: int) -> bool:
    """Return whether the name at a position follows ``::``."""
    return text[:position].rstrip().endswith("::")


def _find_line(text: str, position: int) -> str:
    start, end = text.rfind("\n", 0, position) + 1, text.find("\n", position)
    return text[start : end if end > 0 else len(text)].strip()[:_LONGEST_LINE]
