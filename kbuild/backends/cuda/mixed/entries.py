"""Read which kernels and variables a device pass registers, from the stub file of nvcc.

The stub file pairs C++ expressions with device names::

    __cudaRegisterEntry(__T4, ((void (*)(float *, int))ns::k<float> ), _ZN2ns1kIfEEvPT_i, (-1));
    __cudaRegisterVariable(__T4, __shadow_var(w,::w), 0, 64UL, 0, 0);
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild.backends.interface.mixed import Entries, KernelEntry, VariableEntry
from kbuild.cxx.tokens import split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.errors import ToolError
from kbuild.model import Linkage, VariableKind

_CALLBACK: Final = re.compile(r"\b__nv_cudaEntityRegisterCallback\(\s*void \*\*\w+\)\s*\{")
_REGISTRATION: Final = re.compile(r"\b__cudaRegister(Entry|Variable|ManagedVariable)\(")
# Declarations of debug stubs, whose linkage is that of the kernels.
_EXTERNAL: Final = re.compile(r"^extern [^\n;]*\bvoid __device_stub_(\w+)\(", re.MULTILINE)
_TYPE: Final = re.compile(r"^typedef [^\n]*;$", re.MULTILINE)
_SIZE: Final = re.compile(r"(\d+)U?L*")
# Parts of the names of entities that other files cannot name.
_LOCAL: Final = ("_INTERNAL_", "_GLOBAL__N_", "__nv_static_")
_LOCAL_TYPES: Final = ("_NV_ANON_NAMESPACE", "__nv_dl_", "__nv_hdl_")
_MEMORY_SPACE: Final = re.compile(
    rb"__attribute__\s*\(\(\s*(?:__)?(?:device|constant|managed)(?:__)?\s*\)\)"
)
_ENDS: Final = (b";", b"{", b"}")
_LONGEST_DECLARATION: Final = 1000
_LONGEST_LINE: Final = 80


def read_stub(stub: str, preprocessed: Path, *, is_relocatable: bool) -> Entries:
    """Read a stub file.

    Args:
        stub: Its content.
        preprocessed: The preprocessed source, for the linkage of variables.
        is_relocatable: Whether the images are the input of a device link.

    Raises:
        ToolError: The file has an unexpected form.
    """
    external = frozenset(_EXTERNAL.findall(stub))
    kernels: list[KernelEntry] = []
    variables: list[VariableEntry] = []
    for kind, arguments in _list_registrations(stub):
        if kind == "Entry":
            kernels.append(_read_kernel(arguments, external))
        else:
            variables.append(_read_variable(kind, arguments))
    if is_relocatable:
        linked = [_read_relocatable(variable) for variable in variables]
    else:
        linked = list(_read_linkage(variables, preprocessed))
    types = _TYPE.findall(stub, 0, max(stub.find("__device_stub_"), 0))
    return Entries(
        kernels=tuple(sorted(kernels, key=lambda kernel: kernel.device_name)),
        variables=tuple(sorted(linked, key=lambda variable: variable.device_name)),
        declarations=tuple(types),
    )


def _list_registrations(stub: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the kind and the arguments of each registration."""
    callback = _CALLBACK.search(stub)
    if callback is None:
        return
    code = Unit(stub)
    for found in _REGISTRATION.finditer(stub, callback.end()):
        yield found[1], _split(code, found.end() - 1)


def _split(code: Unit, opened: int) -> list[str]:
    """Return the arguments of the call whose parenthesis opens at a position."""
    closed = code.find_close(opened)
    if closed is None:
        line = code.text[opened : opened + _LONGEST_LINE]
        raise ToolError(f"unexpected text in nvcc's stub file: '{line}'")
    parts = split_at_commas(code.list_tokens(opened + 1, closed))
    return [code.text[part[0].start : part[-1].end] for part in parts if part]


def _read_kernel(arguments: list[str], external: frozenset[str]) -> KernelEntry:
    _, expression, device_name, *_ = arguments
    return KernelEntry(
        device_name=device_name,
        expression=_clean(expression),
        linkage=_find_linkage(device_name, expression, external),
    )


def _clean(expression: str) -> str:
    return " ".join(expression.split())


def _find_linkage(device_name: str, expression: str, external: frozenset[str]) -> Linkage:
    names = (expression, device_name)
    if any(part in name for name in names for part in (*_LOCAL, *_LOCAL_TYPES)):
        return "internal"
    if expression.rstrip(" )").endswith(">"):
        return "weak"
    return "external" if _is_among(device_name, external) else "internal"


def _is_among(device_name: str, mangled: frozenset[str]) -> bool:
    """Return whether a kernel has one of these names; that of a debug stub is always mangled."""
    if device_name.startswith("_Z"):
        return device_name in mangled
    prefix = f"_Z{len(device_name)}{device_name}"
    return any(name.startswith(prefix) for name in mangled)


def _read_variable(kind: str, arguments: list[str]) -> VariableEntry:
    _, shadow, _, size, is_constant, *_ = arguments
    parsed = _SIZE.fullmatch(size)
    if parsed is None:
        raise ToolError(f"unexpected size '{size}' in nvcc's stub file")
    device_name, *rest = _split(Unit(shadow), shadow.index("("))
    expression = _clean(",".join(rest))
    is_local = "<" in expression or any(part in device_name for part in _LOCAL)
    memory: VariableKind = "constant" if is_constant == "1" else "device"
    return VariableEntry(
        device_name=device_name,
        expression=expression,
        kind="managed" if kind == "ManagedVariable" else memory,
        size=int(parsed[1]),
        linkage="internal" if is_local else "external",
    )


def _read_relocatable(variable: VariableEntry) -> VariableEntry:
    """Return the variable as handles need it: the host text itself defines external shadows.

    It only declares managed variables.
    """
    return variable if variable.kind == "managed" else replace(variable, linkage="internal")


def _read_linkage(variables: list[VariableEntry], preprocessed: Path) -> Iterator[VariableEntry]:
    """Yield the variables of a whole program, whose global ones have names without linkage."""
    unknown = [v for v in variables if v.linkage == "external" and v.device_name[:2] != "_Z"]
    text = preprocessed.read_bytes() if unknown else b""
    for variable in variables:
        is_static = variable in unknown and not _is_external(variable.device_name, text)
        yield replace(variable, linkage="internal") if is_static else variable


def _is_external(name: str, text: bytes) -> bool:
    """Return whether the declarations of a global variable give it external linkage."""
    found = False
    for place in _find_word(name.encode(), text):
        start = max(place.start() - _LONGEST_DECLARATION, 0)
        before = text[
            max(text.rfind(end, start, place.start()) for end in _ENDS) + 1 : place.start()
        ]
        is_parameter = before.count(b"(") != before.count(b")")
        is_value = b"=" in before and b"," not in before.rpartition(b"=")[2]
        if is_parameter or is_value or not _MEMORY_SPACE.search(before):
            continue
        words = frozenset(re.findall(rb"\w+", before[before.rfind(b"*") + 1 :]))
        if b"extern" in before.split():
            return True
        if b"static" in before.split() or not words.isdisjoint((b"const", b"constexpr")):
            return False
        found = True
    return found


def _find_word(word: bytes, text: bytes) -> Iterator[re.Match[bytes]]:
    r"""Yield the places of a word.

    The expression starts with the word, not with ``\b``: re searches megabytes for a literal in a
    tenth of the time.
    """
    literal = re.escape(word)
    return re.finditer(literal + rb"(?<!\w" + literal + rb")(?!\w)", text)
