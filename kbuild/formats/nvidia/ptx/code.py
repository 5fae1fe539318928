"""Digests and statements of the functions in PTX text, for comparing builds.

Only what the assembler uses is compared. Comments, line information, white space, declarations
of virtual registers, and function numbers in labels are removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.code import digest
from kbuild.formats.nvidia.ptx.reader import STRING_OR_COMMENT, find_closing_brace

# Precedes a number that has no meaning outside its function; see `kbuild.backends.interface.code`.
_MARK: Final = "\0"
_STRING: Final = re.compile(rb'"[^"]*(?:"|\Z)')
_NAME: Final = rb"[A-Za-z_$%][\w$]*"
_FUNCTION: Final = re.compile(
    rb"(?:\.(?:visible|weak|common)\s+)?(?:\.entry\s+("
    + _NAME
    + rb")|\.func\s*(?:\([^()]*\)\s*)?("
    + _NAME
    + rb"))"
)
# The name before the dimensions at the end of a declaration, in reversed text. A search in the text
# itself would start at every letter of every name.
_VARIABLE: Final = re.compile(rb"\s*(?:\][^\[\]]*\[\s*)*([\w$]*[A-Za-z_$%])")
_DATA: Final = (b".global", b".const")
# Names that contain the number of the function in its module: labels and the stack frame.
_COUNTED: Final = re.compile(rb"\$L__BB\d+_")
_DEPOT: Final = re.compile(rb"__local_depot\d+")
# Compilers write one number per function. Further numbers are removed with a slower method.
_MOST_COUNTS: Final = 4
_LOCATION: Final = re.compile(rb"^[ \t]*(?:\.loc\s[^\n]*|\$L__(?:tmp|func_)\w*:)$", re.MULTILINE)
_LABEL: Final = re.compile(r"\$L__BB_(\d+)")
_REGISTER: Final = re.compile(r"%([a-zA-Z]+)(\d+)\b")
_DECLARATION: Final = ".reg "


class PtxPart(NamedTuple):
    """A function or variable: ``head`` is the text before its body."""

    name: str
    head: bytes
    body: bytes
    is_function: bool


def read_ptx_code(data: Buffer, canonical: Callable[[str], str]) -> CodeFacts:
    """Return the digests of a module's functions and variables.

    Args:
        data: The PTX text.
        canonical: A function that removes the parts of a name that vary between builds.
    """
    functions: list[tuple[str, str]] = []
    variables: list[tuple[str, str]] = []
    for part in _iterate_parts(_strip(bytes(data).rstrip(b"\0"))):
        found = functions if part.is_function else variables
        found.append((part.name, digest((_clean(part, canonical),))))
    return CodeFacts(functions=tuple(functions), data=tuple(variables))


def read_ptx_lines(
    data: Buffer, names: frozenset[str], canonical: Callable[[str], str]
) -> dict[str, tuple[str, ...]]:
    """Return the statements of each function in ``names``."""
    return {
        part.name: tuple(_iterate_lines(part, canonical))
        for part in _iterate_parts(_strip(bytes(data).rstrip(b"\0")))
        if part.is_function and part.name in names
    }


def _strip(content: bytes) -> bytes:
    """Remove comments, and strings that could be mistaken for code."""
    # PTX in fat binaries is long and contains neither, so this check saves time.
    if b"/" not in content and not any(
        b"{" in text or b"}" in text for text in map(_whole, _STRING.finditer(content))
    ):
        return content
    return STRING_OR_COMMENT.sub(_keep_string, content)


def _whole(match: re.Match[bytes]) -> bytes:
    return match[0]


def _keep_string(match: re.Match[bytes]) -> bytes:
    text = match[0]
    is_harmless = text.startswith(b'"') and b"{" not in text and b"}" not in text
    return text if is_harmless and b"/" not in text else b" "


def _iterate_parts(content: bytes) -> Iterator[PtxPart]:
    """Yield the functions and variables that the module defines, in order."""
    start = 0
    while (opening := content.find(b"{", start)) >= 0:
        *statements, head = content[start:opening].split(b";")
        for statement in statements:
            yield from _read_variable(statement, b"")
        end = find_closing_brace(content, opening)
        body = content[opening + 1 : end]
        match = _FUNCTION.search(head)
        if match:
            name = (match[1] or match[2]).decode("utf-8", "replace")
            yield PtxPart(name, head[match.start() :], body, is_function=True)
        else:
            yield from _read_variable(head.partition(b"=")[0], body)
        start = end + 1
    for statement in content[start:].split(b";"):
        yield from _read_variable(statement, b"")


def _read_variable(head: bytes, body: bytes) -> Iterator[PtxPart]:
    front, _, value = head.partition(b"=")
    if b".extern" in front or not any(space in front for space in _DATA):
        return
    if match := _VARIABLE.match(front[::-1]):
        name = match[1][::-1].decode("utf-8", "replace")
        yield PtxPart(name, front, value + body, is_function=False)


def _clean(part: PtxPart, canonical: Callable[[str], str]) -> bytes:
    """Return the text of a part without line information, its own name, and function numbers."""
    text = part.head.strip() + b"\n{\n" + part.body
    if b".loc" in text or b"$L__tmp" in text or b"$L__func" in text:
        text = _LOCATION.sub(b"", text)
    name = part.name.encode()
    own = canonical(part.name).encode() if canonical(part.name) != part.name else name
    text = text.replace(name, b"@" if part.is_function else own)
    return _drop_counts(_DEPOT.sub(b"__local_depot_", text))


def _drop_counts(text: bytes) -> bytes:
    """Remove function numbers from labels.

    Replacing all occurrences of one label prefix is much faster than a regular expression.
    """
    for _ in range(_MOST_COUNTS):
        match = _COUNTED.search(text)
        if match is None:
            return text
        text = text.replace(match[0], b"$L__BB_")
    return _COUNTED.sub(b"$L__BB_", text)


def _iterate_lines(part: PtxPart, canonical: Callable[[str], str]) -> Iterator[str]:
    text = _clean(part, canonical).decode("utf-8", "replace").replace(_MARK, "")
    text = _LABEL.sub(rf"L{_MARK}\1", text)
    for line in text.splitlines():
        words = " ".join(line.split())
        if words and not words.startswith(_DECLARATION):
            yield _REGISTER.sub(rf"%\1{_MARK}\2", words)
