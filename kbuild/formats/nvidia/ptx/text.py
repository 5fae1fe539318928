"""PTX text: kernels with their parameters and launch bounds, and device variables.

Only what stands at module scope is read; bodies are skipped.  Source: "Parallel Thread
Execution ISA", chapters "Syntax", "State Spaces, Types, and Variables", "Kernel Function
Directives" and "Performance-Tuning Directives" (9.x).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.nvidia.cubin.facts import VariableKind
from kbuild.formats.nvidia.cubin.info import Dim3
from kbuild.formats.nvidia.ptx.declaration import (
    OPAQUE,
    read_declaration,
    read_number,
    read_scalar,
    shorten,
)
from kbuild.formats.source_paths import find_source_paths
from kbuild.model import Linkage, Problem

# Strings come first: paths and pragmas hold slashes and braces.
_NO_CODE: Final = re.compile(rb'"[^"\n]*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_END: Final = re.compile(r"([;{}])")
# One may stand between an entry and its body, its strings taken away.
_PRAGMA: Final = re.compile(r"\.pragma[\s,]*;")
_VERSION: Final = re.compile(r"\.version\s+(\d{1,4})\.(\d{1,4})\b", re.ASCII)
# Comments may stand before it; those of nvcc take some hundred bytes.
# A comment is matched in one way only: `.*?` may reach over several, and the number of ways to
# divide them would be exponential.
_FRONT: Final = re.compile(rb"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*\.version\s+\d")
_FRONT_BYTES: Final = 4096
_TARGET: Final = re.compile(r"\.target\s+(\w{1,64})\b", re.ASCII)
# Far above what compilers write; text that compresses well could ask for any number.
_MOST_STRINGS: Final = 1 << 22
_MOST_PARTS: Final = 1 << 20
_ADDRESS_SIZE: Final = re.compile(r"\.address_size\s+(\d+)", re.ASCII)
_NAME: Final = r"[A-Za-z_$%][\w$]*"
_ENTRY: Final = re.compile(rf"\.entry\s+({_NAME})\s*(?:\(([^()]*)\))?", re.ASCII)
_SPACE: Final = re.compile(r"\.(const|global)\b")
_ATTRIBUTE: Final = re.compile(r"\.attribute\s*\((?:[^()]|\([^()]*\))*\)")
_DIRECTIVE: Final = re.compile(r"\.([a-z]+)([\d\s,]*)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class PtxParam:
    """A kernel parameter, laid out as the PTX ISA does: each at its own alignment.

    ``type`` is that of one element (``u64``, ``b8``), ``count`` None where it is no array.
    """

    index: int
    offset: int
    size: int
    name: str
    type: str
    count: int | None
    alignment: int


# A tuple, see `kbuild.formats.nvidia.cubin.facts`.
class PtxKernel(NamedTuple):
    """An ``.entry`` that the module defines; ``params`` is None where it cannot be read."""

    name: str
    linkage: Linkage
    params: tuple[PtxParam, ...] | None
    max_threads: Dim3 | None
    required_block: Dim3 | None
    min_blocks: int | None
    cluster: Dim3 | None
    max_cluster_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PtxVariable:
    """A ``.const`` or ``.global`` variable that the module defines, the compiler's included.

    ``size`` is None where the text does not give it.
    """

    name: str
    kind: VariableKind
    size: int | None
    linkage: Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class PtxFacts:
    """A PTX module, in the order of its text; ``target`` is what the vendor writes: ``sm_90a``."""

    version: str
    target: str
    address_size: int
    kernels: tuple[PtxKernel, ...]
    variables: tuple[PtxVariable, ...]
    source_paths: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def arch(self) -> str:
        """The target as a virtual architecture: ``compute_90a``."""
        return self.target.replace("sm_", "compute_", 1)


def looks_like_ptx(data: Buffer) -> bool:
    """Whether ``data`` starts with the directive that every PTX module has to start with."""
    return _FRONT.match(bytes(data[:_FRONT_BYTES])) is not None


def read_ptx(data: Buffer) -> PtxFacts:
    """Read PTX text; raises InputError where it does not say its version and target.

    A kernel or variable that makes no sense is listed in ``problems``.
    """
    whole = bytes(data).rstrip(b"\0")
    content = _strip(whole)
    text = b"".join(_iterate_module_scope(content)).decode("utf-8", "replace")
    parts = sum(map(text.count, ";{},"))
    if parts > _MOST_PARTS:
        raise InputError(f"PTX of {parts} statements and declarations, more than {_MOST_PARTS}")
    version, target = _VERSION.search(text), _TARGET.search(text)
    if version is None or target is None:
        raise InputError("not PTX (no .version and .target)")
    address_size = _ADDRESS_SIZE.search(text)
    problems: list[Problem] = []
    # What was left out of it is balanced.
    if text.count("{") != text.count("}"):
        problems.append(Problem(where="the text", message="its braces do not match: cut off?"))
    kernels: list[PtxKernel] = []
    variables: list[PtxVariable] = []
    for statement, end in _iterate_statements(text):
        if entry := _ENTRY.search(statement):
            if end == "{":  # else it is declared, not defined
                kernels.append(_read_kernel(statement, entry, problems))
        elif space := _SPACE.search(statement):
            variables.extend(_read_variables(statement, space, problems))
    return PtxFacts(
        version=f"{version[1]}.{version[2]}",
        target=target[1],
        # The PTX ISA's own default.
        address_size=read_number(address_size[1]) if address_size else 32,
        kernels=tuple(kernels),
        variables=tuple(variables),
        # Only with line information; other text needs no second reading.
        source_paths=find_source_paths(whole) if ".file" in text else (),
        problems=tuple(problems),
    )


def _strip(content: bytes) -> bytes:
    """The text without strings and comments."""
    # Fat binaries hold megabytes of text without comments; a search for each of the three
    # would take most of the time.  Where no quote stands in a comment, every second part is
    # a string.
    if content.count(b'"') > 2 * _MOST_STRINGS:
        raise InputError(f"PTX of more than {_MOST_STRINGS} strings")
    parts = content.split(b'"')
    code = b" ".join(parts[::2])
    is_plain = len(parts) % 2 == 1 and b"/" not in code
    if is_plain and not any(b"\n" in string for string in parts[1::2]):
        return code
    return _NO_CODE.sub(b" ", content)


def _iterate_statements(text: str) -> Iterator[tuple[str, str]]:
    """The statements at module scope, each with the semicolon or brace that ends it."""
    parts = _END.split(_PRAGMA.sub(" ", text))
    return zip(parts[::2], parts[1::2], strict=False)


def _iterate_module_scope(content: bytes) -> Iterator[bytes]:
    """The text without what is between braces: function bodies, initialisers, sections."""
    start = 0
    while (opening := content.find(b"{", start)) >= 0:
        yield content[start : opening + 1]
        position, depth = opening + 1, 1
        while depth:
            closing = content.find(b"}", position)
            if closing < 0:
                return
            depth += content.count(b"{", position, closing) - 1
            position = closing + 1
        start = closing
    yield content[start:]


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
                raise InputError(f"the size of parameter {index} is not known")
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
