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
from typing import Final

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
_READ: Final = "read_"
_REGISTERS: Final = ("laneid", *(f"lanemask_{name}" for name in ("eq", "lt", "le", "ge", "gt")))
# Instructions, and the functions that they become.
_FUNCTIONS: Final = {
    **{f"mov.u32 %0, %%{name};": f"{_READ}{name}" for name in _REGISTERS},
    "bfind.u32 %0, %1;": "find_top_bit",
    "bfe.u32 %0, %1, %2, %3;": "extract_bits",
    "shl.b32 %0, %1, %2;": "shift_left",
    "shr.b32 %0, %1, %2;": "shift_right",
    "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;": "add_byte_differences",
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


def replace_assembly(code: Unit) -> Iterator[Edit]:
    """Yield the edits for all inline PTX in preprocessed text."""
    for number, statement in enumerate(_list_statements(code)):
        function = _FUNCTIONS.get(statement.code)
        if function is None:
            # A declaration with the same name would share the message.
            yield from _reject(code.text, f"inline_ptx_{number}", statement)
        else:
            yield from _call(code.text, function, statement)


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
