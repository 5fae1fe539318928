"""Replace inline PTX by calls of functions.

A few instructions have a function in ``kbuild_cpu/ptx.h``, whose arguments are the operands of the
statement. All others become calls that do not compile. Otherwise, a host compiler would report the
letters of PTX's constraints, or the assembler would report a line of its input. Headers contain
functions with PTX that nobody calls, so this module raises no error itself. The compiler reports a
call only if it compiles the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.cxx.mentions import list_words
from kbuild.cxx.model import Edit
from kbuild.cxx.tokens import Token, find_close, list_tokens

_WORDS: Final = "asm|__asm__|__asm"
_START: Final = re.compile(rf"(?<![\w$])(?:{_WORDS})(?:\s|#[^\n]*\n|\w)*\(")
# The first word of an instruction of PTX contains a dot, apart from a few. On aarch64, so do
# conditional branches. Braces, labels, and predicates can precede it.
_PTX: Final = re.compile(
    r"(?:[{}\s]|\w+:\s|@!?%?\w+\s)*"
    r"(?:(?!b\.[a-z]{2}\b)[a-z]\w*\.[\w.:]+|\.(?:reg|pred|local|shared)\b|(?:trap|exit|brkpt|ret)\s*;)"
)
_LITERAL: Final = re.compile(r'(?P<prefix>R?)"(?P<text>.*)"', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\[nrtv\n]|[\s\"\\]")
_LINE_BREAKS: Final = re.compile(r"\n(?:#[^\n]*(?=\n))?")
_LONGEST_QUOTE: Final = 60
_READ: Final = "read_"
_REGISTERS: Final = ("laneid", *(f"lanemask_{name}" for name in ("eq", "lt", "le", "ge", "gt")))
# Instructions, and the functions that they become.
_FUNCTIONS: Final = {
    **{f"mov.u32 %0, %%{name};": f"{_READ}{name}" for name in _REGISTERS},
    "bfind.u32 %0, %1;": "find_top_bit",
    "bfe.u32 %0, %1, %2, %3;": "extract_bits",
    "shl.b32 %0, %1, %2;": "shift_left",
    "shr.b32 %0, %1, %2;": "shift_right",
}


@dataclass(frozen=True, slots=True)
class _Statement:
    """An asm statement with PTX.

    Attributes:
        code: The instructions.
        operands: The tokens after them.
        start: The position of the first character.
        end: The position after the last one.
    """

    code: str
    operands: tuple[Token, ...]
    start: int
    end: int


def replace_assembly(text: str) -> Iterator[Edit]:
    """Yield the edits for all inline PTX in preprocessed text."""
    for number, (_, statement) in enumerate(_list_statements(text)):
        function = _FUNCTIONS.get(statement.code)
        if function is None:
            # A declaration with the same name would share the message.
            yield from _reject(text, f"inline_ptx_{number}", statement)
        else:
            yield from _call(text, function, statement)


def list_lane_reads(text: str) -> list[Token]:
    """Return the first words of the statements that read the number of the lane."""
    return [
        word
        for word, statement in _list_statements(text)
        if _FUNCTIONS.get(statement.code, "").startswith(_READ)
    ]


def _list_statements(text: str) -> Iterator[tuple[Token, _Statement]]:
    """Yield the statements with PTX, with their first words."""
    found = {
        match.start(): statement
        for match in _START.finditer(text)
        if (statement := _read_statement(text, *match.span())) is not None
    }
    if found:
        words = list_words(text, _WORDS)
        yield from ((word, found[word.start]) for word in words if word.start in found)


def _read_statement(text: str, start: int, opened: int) -> _Statement | None:
    """Read an asm statement, given the position after its parenthesis; None if it is not PTX."""
    close = find_close(text, opened - 1)
    if close is None:
        return None
    tokens = tuple(list_tokens(text, opened, close))
    count = next((i for i, token in enumerate(tokens) if token.text[-1] != '"'), len(tokens))
    code = _ESCAPE.sub(" ", "".join(map(_read_literal, tokens[:count])))
    if _PTX.match(code) is None:
        return None
    return _Statement(" ".join(code.split()), tokens[count:], start, close + 1)


def _read_literal(token: Token) -> str:
    found = _LITERAL.fullmatch(token.text)
    if found is None:
        return ""
    return found["text"].partition("(")[2].rpartition(")")[0] if found["prefix"] else found["text"]


def _reject(text: str, name: str, statement: _Statement) -> Iterator[Edit]:
    """Yield edits that leave only the expressions of the operands, after a call of an error."""
    code = statement.code
    quote = code if len(code) <= _LONGEST_QUOTE else f"{code[:_LONGEST_QUOTE]}..."
    before = (
        '__extension__({ extern __attribute__((error("kbuild: the cpu backend does not support '
        f"inline PTX: '{quote}'; write C++ for this backend, below "
        f'#ifdef KBUILD_BACKEND_CPU"))) void {name}(); {name}();'
    )
    operand = " static_cast<void>"
    yield from _replace(text, statement, (before, operand, f";{operand}", "; })"))


def _call(text: str, function: str, statement: _Statement) -> Iterator[Edit]:
    """Yield edits that make the statement a call."""
    yield from _replace(text, statement, (f"::kbuild_cpu::ptx::{function}(", "", ", ", ")"))


def _replace(text: str, statement: _Statement, parts: tuple[str, str, str, str]) -> Iterator[Edit]:
    """Yield edits that leave only the expressions of the operands.

    Args:
        text: The preprocessed text.
        statement: The statement.
        parts: The texts at the start, before the first operand, before each other one, and at the
            end.
    """
    head, separator, between, last = parts
    start = statement.start
    depth = 0
    for index, token in enumerate(statement.operands):
        # An operand is a string and an expression in parentheses.
        if depth == 0 and token.text == "(" and statement.operands[index - 1].text[-1] == '"':
            yield _fill(text, start, token.start, head + separator)
            head, separator = "", between
        depth += (token.text in "([{") - (token.text in ")]}")
        start = token.end if depth == 0 and token.text == ")" else start
    yield _fill(text, start, statement.end, head + last)


def _fill(text: str, start: int, end: int, new: str) -> Edit:
    """Replace a part, and keep its line breaks and line markers."""
    return Edit(start=start, end=end, text=new + "".join(_LINE_BREAKS.findall(text, start, end)))
