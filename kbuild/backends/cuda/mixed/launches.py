"""Find the launches in the output of ``cudafe++``.

Each one is ``(__cudaPushCallConfiguration(...)) ? (void)0 : kernel(...)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cuda.mixed.active_text import ActiveText
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Launch
from kbuild.cxx.tokens import Token, find_close, list_tokens, match_angle, match_brackets
from kbuild.errors import SourceError

_PUSH: Final = "__cudaPushCallConfiguration("
_BETWEEN: Final = (")", "?", "(", "void", ")", "0", ":")


def find_launches(active: ActiveText, source: str) -> Iterator[Launch]:
    """Yield the launches.

    Raises:
        SourceError: A configuration is pushed for something else.
    """
    text = active.text
    for position in active.find(_PUSH):
        launch = _read_launch(text, position)
        if launch is None and _is_declared_at(text, position):
            continue
        if launch is None and " 3" in locate(text, position).flags:
            continue  # calls that system headers write themselves
        if launch is None:
            line = text[position : text.find("\n", position)]
            raise SourceError(
                f"{source}: cannot rewrite the launch '{line[:120]}', so that not every call of "
                "__cudaPushCallConfiguration is rewritten; expected '(configuration) ? (void)0 : "
                "kernel(arguments)' after nvcc's host pass; simplify the launch"
            )
        yield launch


def _is_declared_at(text: str, position: int) -> bool:
    """Return whether a type precedes the name; such headers are not always system headers."""
    return text[position - 16 : position].endswith(("unsigned ", "unsigned int "))


def _read_launch(text: str, position: int) -> Launch | None:
    """Read the launch whose configuration is pushed at a position."""
    opened = position + len(_PUSH) - 1
    closed = find_close(text, opened)
    if closed is None or text[position - 1] != "(":
        return None
    tokens = list(_list_operand(text, closed + 1))
    if tuple(token.text for token in tokens[: len(_BETWEEN)]) != _BETWEEN:
        return None
    call = tokens[len(_BETWEEN) :]
    found = _find_arguments(call)
    if found is None:
        return None
    first, last = found
    return Launch(
        start=position - 1,
        end=call[last].end,
        callee=(call[0].start, call[first - 1].end),
        configuration=(opened + 1, closed),
        arguments=(call[first].end, call[last].start),
    )


def _list_operand(text: str, start: int) -> Iterator[Token]:
    """Yield the tokens up to the end of a conditional expression, or a little more."""
    depth = 1  # the parenthesis in front of the configuration
    for token in list_tokens(text, start):
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        if depth < 0 or (depth == 0 and token.text == ";"):
            return
        yield token


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
