"""Replace inline PTX by calls of functions.

A statement with an instruction that has a function in ``kbuild_cpu/ptx.h`` becomes a call of a
lambda, whose parameters are the operands. All others become calls that do not compile. Otherwise, a
host compiler would report the letters of PTX's constraints, or the assembler would report a line of
its input. Headers contain functions with PTX that nobody calls, so this module raises no error
itself. The compiler reports a call only if it compiles the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed.inline_ptx.accesses import is_ordered
from kbuild.backends.cpu.mixed.inline_ptx.instructions import express_instruction
from kbuild.backends.cpu.mixed.inline_ptx.operands import PARAMETER
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Edit
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_WORDS: Final = frozenset(("asm", "__asm__", "__asm"))
# The first word of an instruction of PTX contains a dot, apart from a few. On aarch64, so do
# conditional branches. Braces, labels, and predicates can precede it.
_PTX: Final = re.compile(
    r"(?:[{}\s]|\w+:\s|@!?%?\w+\s)*"
    r"(?:(?!b\.[a-z]{2}\b)[a-z]\w*\.[\w.:]+|\.(?:reg|pred|local|shared)\b|(?:trap|exit|brkpt|ret)\s*;)"
)
_RAW: Final = "R"  # the prefix of a raw string
_ESCAPE: Final = re.compile(r"\\[nrtv\n]|[\s\"\\]")
_LINE_BREAKS: Final = re.compile(r"\n(?:#[^\n]*(?=\n))?")
_LONGEST_QUOTE: Final = 60


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


def replace_assembly(code: Unit) -> Iterator[Edit]:
    """Yield the edits for all inline PTX in preprocessed text."""
    for number, statement in enumerate(_list_statements(code)):
        call = express_instruction(statement.code)
        if call is None:
            # A declaration with the same name would share the message.
            yield from _reject(code.text, f"inline_ptx_{number}", statement)
        else:
            yield from _call(code.text, call, statement)


def find_ordered(code: Unit) -> Iterator[int]:
    """Yield the indices of the statements whose effects another thread can wait for."""
    for statement in _list_statements(code):
        if is_ordered(statement.code):
            yield code.find_index(statement.start)


def _list_statements(code: Unit) -> Iterator[_Statement]:
    """Yield the statements with PTX."""
    for index in code.find(_WORDS):
        statement = _read_statement(code, index)
        if statement is not None:
            yield statement


def _read_statement(code: Unit, index: int) -> _Statement | None:
    """Read the asm statement at an index; None if it is not PTX."""
    opened = index + 1
    while opened < len(code.words) and code.get_token(opened).is_word:  # volatile, goto
        opened += 1
    close = code.partners.get(opened)
    if code.get(opened) != "(" or close is None:
        return None
    tokens = tuple(code.list_between(opened + 1, close))
    words = [token.text for token in tokens]
    others = (i for i, word in enumerate(words) if word[-1] != '"' and word != _RAW)
    count = next(others, len(words))
    literals = (_read_literal(words[i], is_raw=words[i - 1] == _RAW) for i in range(count))
    text = _ESCAPE.sub(" ", "".join(literals))
    if _PTX.match(text) is None:
        return None
    return _Statement(
        " ".join(text.split()), tokens[count:], code.starts[index], code.get_end(close)
    )


def _read_literal(word: str, *, is_raw: bool) -> str:
    if word == _RAW:
        return ""
    return word.partition("(")[2].rpartition(")")[0] if is_raw else word[1:-1]


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


def _call(text: str, call: str, statement: _Statement) -> Iterator[Edit]:
    """Yield edits that make the statement a call of a lambda with its operands."""
    count = sum(1 for _ in _find_operands(statement))
    parameters = ", ".join(f"auto &&{PARAMETER.format(number)}" for number in range(count))
    head = f"[]({parameters}) {{ {call}; }}("
    yield from _replace(text, statement, (head, "", ", ", ")"))


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
    for opening, closing in _find_operands(statement):
        yield _fill(text, start, opening.start, head + separator)
        head, separator = "", between
        start = closing.end
    yield _fill(text, start, statement.end, head + last)


def _find_operands(statement: _Statement) -> Iterator[tuple[Token, Token]]:
    """Yield the parentheses of the operands: a string and an expression in parentheses."""
    depth = 0
    opening = None
    for index, token in enumerate(statement.operands):
        if depth == 0 and token.text == "(" and statement.operands[index - 1].text[-1] == '"':
            opening = token
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.text == ")" and opening is not None:
            yield opening, token
            opening = None


def _fill(text: str, start: int, end: int, new: str) -> Edit:
    """Replace a part, and keep its line breaks and line markers."""
    return Edit(start=start, end=end, text=new + "".join(_LINE_BREAKS.findall(text, start, end)))
