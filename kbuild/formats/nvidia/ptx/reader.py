"""A reader of PTX text: kernels with parameters and launch bounds, and device variables.

Only declarations and definitions at module scope are read; function bodies are skipped. Source:
"Parallel Thread Execution ISA", chapters "Syntax", "State Spaces, Types, and Variables",
"Kernel Function Directives", and "Performance-Tuning Directives" (9.x).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.nvidia.cubin.facts import VariableKind
from kbuild.formats.nvidia.cubin.nv_info import Dim3
from kbuild.formats.nvidia.ptx.declaration import (
    OPAQUE,
    read_declaration,
    read_number,
    read_scalar,
    shorten,
)
from kbuild.formats.nvidia.ptx.facts import PtxFacts, PtxKernel, PtxParam, PtxVariable
from kbuild.formats.source_paths import find_source_paths
from kbuild.model import Linkage, Problem

# Strings come first, because paths and pragmas contain slashes and braces.
STRING_OR_COMMENT: Final = re.compile(rb'"[^"\n]*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_END: Final = re.compile(r"([;{}])")
# A pragma can precede the body of an entry. Its strings have already been removed.
_PRAGMA: Final = re.compile(r"\.pragma[\s,]*;")
_VERSION: Final = re.compile(r"\.version\s+(\d{1,4})\.(\d{1,4})\b", re.ASCII)
# The comments that precede the version; those of nvcc have a few hundred bytes. The pattern must
# match a comment in only one way. With `.*?`, a match could extend over several comments, and
# the number of ways to divide them would be exponential.
_FRONT: Final = re.compile(rb"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*\.version\s+\d")
_FRONT_BYTES: Final = 4096
_TARGET: Final = re.compile(r"\.target\s+(\w{1,64})\b", re.ASCII)
# Far more than compilers write. Forged text that compresses well could contain any number.
_MOST_STRINGS: Final = 1 << 22
_MOST_PARTS: Final = 1 << 20
_ADDRESS_SIZE: Final = re.compile(r"\.address_size\s+(\d+)", re.ASCII)
_NAME: Final = r"[A-Za-z_$%][\w$]*"
_ENTRY: Final = re.compile(rf"\.entry\s+({_NAME})\s*(?:\(([^()]*)\))?", re.ASCII)
_SPACE: Final = re.compile(r"\.(const|global)\b")
_ATTRIBUTE: Final = re.compile(r"\.attribute\s*\((?:[^()]|\([^()]*\))*\)")
_DIRECTIVE: Final = re.compile(r"\.([a-z]+)([\d\s,]*)", re.ASCII)


def looks_like_ptx(data: Buffer) -> bool:
    """Return whether ``data`` starts with ``.version``, the first directive of every module."""
    return _FRONT.match(bytes(data[:_FRONT_BYTES])) is not None


def read_ptx(data: Buffer) -> PtxFacts:
    """Read PTX text.

    A damaged kernel or variable is listed in ``problems``, and the rest is read.

    Raises:
        InputError: The text does not contain ``.version`` and ``.target``, or is too large.
    """
    whole = bytes(data).rstrip(b"\0")
    content = _strip(whole)
    text = b"".join(_iterate_module_scope(content)).decode("utf-8", "replace")
    parts = sum(map(text.count, ";{},"))
    if parts > _MOST_PARTS:
        raise InputError(
            f"the PTX has {parts} statements and declarations; the limit is {_MOST_PARTS}"
        )
    version, target = _VERSION.search(text), _TARGET.search(text)
    if version is None or target is None:
        raise InputError("not PTX (expected .version and .target)")
    address_size = _ADDRESS_SIZE.search(text)
    problems: list[Problem] = []
    # The braces of the skipped bodies match.
    if text.count("{") != text.count("}"):
        message = "the braces do not match; the text might be cut off"
        problems.append(Problem(where="the text", message=message))
    kernels: list[PtxKernel] = []
    variables: list[PtxVariable] = []
    for statement, end in _iterate_statements(text):
        if entry := _ENTRY.search(statement):
            if end == "{":  # Otherwise, the kernel is only declared.
                kernels.append(_read_kernel(statement, entry, problems))
        elif space := _SPACE.search(statement):
            variables.extend(_read_variables(statement, space, problems))
    return PtxFacts(
        version=f"{version[1]}.{version[2]}",
        target=target[1],
        # 32 is the default of the PTX ISA.
        address_size=read_number(address_size[1]) if address_size else 32,
        kernels=tuple(kernels),
        variables=tuple(variables),
        # Only text with line information contains paths.
        source_paths=find_source_paths(whole) if ".file" in text else (),
        problems=tuple(problems),
    )


def _strip(content: bytes) -> bytes:
    """Remove strings and comments."""
    # Fat binaries contain megabytes of text without comments, for which the pattern would take
    # most of the time. If no comment contains a quotation mark, every second part is a string.
    if content.count(b'"') > 2 * _MOST_STRINGS:
        raise InputError(f"the PTX has more than {_MOST_STRINGS} strings")
    parts = content.split(b'"')
    code = b" ".join(parts[::2])
    is_plain = len(parts) % 2 == 1 and b"/" not in code
    if is_plain and not any(b"\n" in string for string in parts[1::2]):
        return code
    return STRING_OR_COMMENT.sub(b" ", content)


def _iterate_statements(text: str) -> Iterator[tuple[str, str]]:
    """Yield the statements at module scope, each with the semicolon or brace that ends it."""
    parts = _END.split(_PRAGMA.sub(" ", text))
    return zip(parts[::2], parts[1::2], strict=False)


def _iterate_module_scope(content: bytes) -> Iterator[bytes]:
    """Yield the text without the content of braces: bodies, initializers, and sections."""
    start = 0
    while (opening := content.find(b"{", start)) >= 0:
        yield content[start : opening + 1]
        start = find_closing_brace(content, opening)
    yield content[start:]


def find_closing_brace(content: bytes, opening: int) -> int:
    """Return the position of the brace that matches the brace at ``opening``.

    If the text is cut off, return its length.
    """
    position, depth = opening + 1, 1
    while depth:
        closing = content.find(b"}", position)
        if closing < 0:
            return len(content)
        depth += content.count(b"{", position, closing) - 1
        position = closing + 1
    return position - 1


def _read_kernel(statement: str, entry: re.Match[str], problems: list[Problem]) -> PtxKernel:
    name = entry[1]
    params: tuple[PtxParam, ...] | None = None
    bounds: dict[str, tuple[int, ...]] = {}
    try:
        params = tuple(_iterate_params(entry[2] or ""))
        for directive in _DIRECTIVE.finditer(statement, entry.end()):
            numbers = directive[2].replace(",", " ").split()
            bounds[directive[1]] = tuple(read_number(number) for number in numbers[:3])
    except InputError as error:
        problems.append(Problem(where=f"kernel {name}", message=str(error)))
    return PtxKernel(
        name=name,
        linkage=_linkage(statement[: entry.start()].split()),
        params=params,
        max_threads=_dim3(bounds.get("maxntid")),
        required_block=_dim3(bounds.get("reqntid")),
        min_blocks=next(iter(bounds.get("minnctapersm", ())), None),
        cluster=_dim3(bounds.get("reqnctapercluster")),
        max_cluster_rank=next(iter(bounds.get("maxclusterrank", ())), None),
    )


def _iterate_params(text: str) -> Iterator[PtxParam]:
    offset = 0
    for index, part in enumerate(text.split(",") if text.strip() else ()):
        count, scalar = None, read_scalar(part)
        if scalar:
            name, kind, size = scalar
            alignment = size
        else:
            declared = read_declaration(part)
            if declared.size is None:
                raise InputError(f"the size of parameter {index} is unknown")
            name, kind, size = declared.name, declared.type, declared.size
            count, alignment = declared.count, declared.alignment
        offset = -offset % alignment + offset
        yield PtxParam(
            index=index,
            offset=offset,
            size=size,
            name=name,
            type=kind,
            count=count,
            alignment=alignment,
        )
        offset += size


def _read_variables(
    statement: str, space: re.Match[str], problems: list[Problem]
) -> tuple[PtxVariable, ...]:
    linking = statement[: space.start()].split()
    if ".extern" in linking:
        return ()
    rest = statement[space.end() :]
    is_managed = any(".managed" in attribute[0] for attribute in _ATTRIBUTE.finditer(rest))
    kind: VariableKind = "constant" if space[1] == "const" else "global"
    first, *others = _ATTRIBUTE.sub(" ", rest).split(",")
    try:
        declared = [read_declaration(first.partition("=")[0])]
        front = f".align {declared[0].alignment} .{declared[0].type} "
        declared += [read_declaration(front + other.partition("=")[0]) for other in others]
    except InputError as error:
        problems.append(Problem(where=shorten(statement[space.start() :]), message=str(error)))
        return ()
    return tuple(
        PtxVariable(
            name=one.name,
            kind="managed" if is_managed else kind,
            size=one.size,
            linkage=_linkage(linking),
        )
        for one in declared
        if one.type not in OPAQUE
    )


def _linkage(words: list[str]) -> Linkage:
    if ".weak" in words:
        return "weak"
    return "external" if ".visible" in words or ".common" in words else "internal"


def _dim3(numbers: tuple[int, ...] | None) -> Dim3 | None:
    if not numbers:
        return None
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z
