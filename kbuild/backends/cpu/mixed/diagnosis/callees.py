"""Read what a text calls and launches: the expressions before parentheses and ``<<<``."""

from __future__ import annotations

from collections.abc import Sequence

from kbuild.cxx.heads import find_name
from kbuild.cxx.launched import find_callee
from kbuild.cxx.model import Launch
from kbuild.cxx.tokens import match_angle
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError


def find_last_name(code: Unit, launch: Launch) -> tuple[int, str]:
    """Return the position and the text of the name at the end of what is launched."""
    head = code.list_tokens(*launch.callee)
    while head[0].text in ("(", "&", "*"):
        head = head[1:-1] if head[0].text == "(" and head[-1].text == ")" else head[1:]
    index = find_name(head)
    if index is None or not head[index].is_word:
        return launch.callee[0], ""
    return head[index].start, head[index].text


def list_callee(code: Unit, parenthesis: int) -> Sequence[str]:
    """Return the tokens of the expression that a parenthesis calls; none if it calls nothing."""
    try:
        return code.words[find_callee(code, parenthesis) : parenthesis]
    except SourceError:
        return []


def skip_template_arguments(code: Unit, index: int) -> int:
    """Return the index after the template arguments that start at an index, if they do."""
    if code.get(index) != "<":
        return index
    end = index
    while code.get(end) not in ("", ";", "{", "}"):
        end += 1
    close = match_angle(code.list_between(index, end), 0)
    return index if close is None else index + close + 1
