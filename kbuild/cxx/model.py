"""What a host text contains: the kernels that it declares, and the places that launch them.

A *host text* is the preprocessed text of a mixed source. All positions are offsets in it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from kbuild.values import dataclass

Span: TypeAlias = tuple[int, int]  # the first position, and the position after the last character


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch: an expression that names a kernel, a configuration, and arguments.

    Attributes:
        start: The position of the expression's first character.
        end: The position after its last character.
        callee: The expression before ``<<<``.
        configuration: What is between ``<<<`` and ``>>>``: one to four expressions.
        arguments: What is between the parentheses.
    """

    start: int
    end: int
    callee: Span
    configuration: Span
    arguments: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelDeclaration:
    """A declaration or definition of a kernel.

    Attributes:
        start: The position of the declaration's first character, template header included.
        end: The position after the declaration: after its ``;`` or its body. Something that is
            inserted there is in the same scope.
        template: The template header, such as ``template <class T>``; empty if there is none.
        is_friend: Whether it is a friend declaration in a class.
        name: The unqualified name, without template arguments.
        parameters: The text between the parentheses, with default arguments.
        form: What is declared. ``qualified`` is a redeclaration with a qualified name, such as
            ``void ns::k() {}``. Only a ``declaration`` makes the kernel known in its scope.
        body: The braces of the body and what is between them; None if there is no body.
        instance: The qualifiers and the name, with its template arguments, that an explicit
            instantiation spells; empty if it is something else, or only declares the instance.
    """

    start: int
    end: int
    template: str
    is_friend: bool
    name: str
    parameters: str
    form: Literal["declaration", "qualified", "specialization", "instantiation"] = "declaration"
    body: Span | None = None
    instance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A replacement of the text from ``start`` to ``end``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostText:
    """The kernels and launches in a host text, and the backend's own replacements.

    ``has_guesses`` says that the replacements need not compile, because they contain guesses.
    """

    kernels: tuple[KernelDeclaration, ...]
    launches: tuple[Launch, ...]
    edits: tuple[Edit, ...] = ()
    has_guesses: bool = False
