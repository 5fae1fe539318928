"""Find the launches in the output of ``cudafe++``.

Each one is ``(__cudaPushCallConfiguration(...)) ? (void)0 : kernel(...)``. The name is qualified in
class templates with a base that depends on a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.lexer import Token
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Launch
from kbuild.cxx.tokens import match_angle, match_brackets
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

_PUSH: Final = "__cudaPushCallConfiguration"
_BETWEEN: Final = (")", "?", "(", "void", ")", "0", ":")
_LONGEST_LINE: Final = 120


def find_launches(code: Unit, source: str) -> Iterator[Launch]:
    """Yield the launches.

    Raises:
        SourceError: A configuration is pushed for something else.
    """
    for index in code.find((_PUSH,)):
        launch = _read_launch(code, index)
        # A type precedes the name in its declaration; such headers are not always system headers.
        if launch is None and code.get(index - 1) in ("unsigned", "int"):
            continue
        position = code.starts[index]
        if launch is None and locate(code.text, position).is_system:
            continue  # calls that system headers write themselves
        if launch is None:
            line = code.text[position : code.text.find("\n", position)]
            raise SourceError(
                f"{source}: cannot rewrite the launch '{line[:_LONGEST_LINE]}', so that not every "
                "call of __cudaPushCallConfiguration is rewritten; expected '(configuration) ? "
                "(void)0 : kernel(arguments)' after nvcc's host pass; simplify the launch"
            )
        yield launch


def _read_launch(code: Unit, index: int) -> Launch | None:
    """Read the launch whose configuration is pushed at an index."""
    opened = index + 1
    closed = code.partners.get(opened)
    start = index - 2 if code.get(index - 1) == "::" else index - 1
    if closed is None or code.get(opened) != "(" or code.get(start) != "(":
        return None
    tokens = _list_operand(code, closed + 1)
    if tuple(token.text for token in tokens[: len(_BETWEEN)]) != _BETWEEN:
        return None
    call = tokens[len(_BETWEEN) :]
    found = _find_arguments(call)
    if found is None:
        return None
    first, last = found
    return Launch(
        start=code.starts[start],
        end=call[last].end,
        callee=(call[0].start, call[first - 1].end),
        configuration=(code.get_end(opened), code.starts[closed]),
        arguments=(call[first].end, call[last].start),
    )


def _list_operand(code: Unit, start: int) -> list[Token]:
    """Return the tokens up to the end of a conditional expression, or a little more."""
    index = start + 1  # after the parenthesis in front of the configuration
    while index < len(code.words) and code.words[index] not in (";", ")", "]", "}"):
        index = code.partners.get(index, index) + 1
    return code.list_between(start, index)


def _find_arguments(call: list[Token]) -> tuple[int, int] | None:
    """Return the indices of the parentheses around the arguments of a call."""
    partners = match_brackets(call)
    index, arguments = 0, None
    while index < len(call):
        token = call[index]
        if token.text in ("(", "["):
            if index not in partners:
                return None
            if token.text == "(" and index:
                arguments = (index, partners[index])
            index = partners[index] + 1
        elif token.text == "<" and index:
            index = (match_angle(call, index) or len(call)) + 1
        elif token.is_word or token.text in ("::", ".", "->"):
            index += 1
        else:
            break
    return arguments if arguments is not None and arguments[1] == index - 1 else None
