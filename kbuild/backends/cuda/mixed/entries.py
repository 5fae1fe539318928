"""Read which kernels and variables a device pass registers, from the stub file of nvcc.

The stub file pairs C++ expressions with device names::

    __cudaRegisterEntry(__T4, ((void (*)(float *, int))ns::k<float> ), _ZN2ns1kIfEEvPT_i, (-1));
    __cudaRegisterVariable(__T4, __shadow_var(w,::w), 0, 64UL, 0, 0);
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.interface.mixed import Entries, KernelEntry, VariableEntry
from kbuild.cxx.outline import divide
from kbuild.cxx.tokens import read_tokens, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.errors import ToolError
from kbuild.model import Linkage, VariableKind
from kbuild.values import replace

_CALLBACK: Final = "__nv_cudaEntityRegisterCallback"
_REGISTER: Final = "__cudaRegister"
_KINDS: Final = ("Entry", "Variable", "ManagedVariable")
_STUB: Final = "__device_stub_"  # how the names of debug stubs start
# Parts of the names of entities that other files cannot name.
_LOCAL: Final = ("_INTERNAL_", "_GLOBAL__N_", "__nv_static_")
_LOCAL_TYPES: Final = ("_NV_ANON_NAMESPACE", "__nv_dl_", "__nv_hdl_")
_MEMORY_SPACES: Final = frozenset(
    word for name in ("device", "constant", "managed") for word in (name, f"__{name}__")
)
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
    code = Unit(stub)
    stubs = code.find({word for word in code.vocabulary if word.startswith(_STUB)})
    # Their linkage is that of the kernels.
    external = frozenset(
        code.words[index].removeprefix(_STUB)
        for index in stubs
        if code.words[code.find_head(index)] == "extern"
    )
    kernels: list[KernelEntry] = []
    variables: list[VariableEntry] = []
    for kind, arguments in _list_registrations(code):
        if kind == "Entry":
            kernels.append(_read_kernel(arguments, external))
        else:
            variables.append(_read_variable(kind, arguments))
    if is_relocatable:
        linked = [_read_relocatable(variable) for variable in variables]
    else:
        linked = list(_read_linkage(variables, preprocessed))
    types = [
        stub[code.starts[index] : code.get_end((code.find_declaration_end(index, ";") or 0) - 1)]
        for index in code.find(("typedef",))
        if stubs and index < stubs[0]
    ]
    return Entries(
        kernels=tuple(sorted(kernels, key=lambda kernel: kernel.device_name)),
        variables=tuple(sorted(linked, key=lambda variable: variable.device_name)),
        declarations=tuple(types),
    )


def _list_registrations(code: Unit) -> Iterator[tuple[str, list[str]]]:
    """Yield the kind and the arguments of each registration."""
    callbacks = [
        index
        for index in code.find((_CALLBACK,))
        if code.get(code.partners.get(index + 1, index) + 1) == "{"
    ]
    for index in code.find([_REGISTER + kind for kind in _KINDS]) if callbacks else ():
        if index > callbacks[0]:
            kind = code.words[index].removeprefix(_REGISTER)
            yield kind, _split(code, code.starts[index + 1])


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
    number = size.rstrip("UL")
    if not number.isdecimal():
        raise ToolError(f"unexpected size '{size}' in nvcc's stub file")
    device_name, *rest = _split(Unit(shadow), shadow.index("("))
    expression = _clean(",".join(rest))
    is_local = "<" in expression or any(part in device_name for part in _LOCAL)
    memory: VariableKind = "constant" if is_constant == "1" else "device"
    return VariableEntry(
        device_name=device_name,
        expression=expression,
        kind="managed" if kind == "ManagedVariable" else memory,
        size=int(number),
        linkage="internal" if is_local else "external",
    )


def _read_relocatable(variable: VariableEntry) -> VariableEntry:
    """Return the variable as handles need it: the host text itself defines external shadows.

    It only declares managed variables.
    """
    return variable if variable.kind == "managed" else replace(variable, linkage="internal")


def _read_linkage(variables: list[VariableEntry], preprocessed: Path) -> Iterator[VariableEntry]:
    """Yield the variables of a whole program, whose global ones have names without linkage."""
    unknown = {
        variable.device_name
        for variable in variables
        if variable.linkage == "external" and variable.device_name[:2] != "_Z"
    }
    text = preprocessed.read_text(errors="surrogateescape") if unknown else ""
    internal = unknown - _find_external(unknown, text)
    for variable in variables:
        is_static = variable.device_name in internal
        yield replace(variable, linkage="internal") if is_static else variable


def _find_external(names: set[str], text: str) -> set[str]:
    """Return the global variables whose declarations give them external linkage."""
    linkage: dict[str, Linkage] = {}
    declared: set[str] = set()
    for part in divide(text) if names else ():
        head = text[part.start : part.head]
        for name in [name for name in names - linkage.keys() if name in head]:
            for before in _list_declarations(name, head):
                declared.add(name)
                if found := _read_declared_linkage(before):
                    linkage.setdefault(name, found)
    external = {name for name in linkage if linkage[name] == "external"}
    return external | (declared - linkage.keys())


def _list_declarations(name: str, head: str) -> Iterator[list[str]]:
    """Yield the words before the name in each declaration of a device variable with this name."""
    words = [token.text for token in read_tokens(head)]
    for index in (index for index, word in enumerate(words) if word == name):
        before = words[:index]
        is_parameter = before.count("(") != before.count(")")
        value = before[::-1].index("=") if "=" in before else 0
        is_value = "=" in before and "," not in before[len(before) - value :]
        if not (is_parameter or is_value or _MEMORY_SPACES.isdisjoint(before)):
            yield before


def _read_declared_linkage(before: list[str]) -> Linkage | None:
    """Return the linkage that these words give a variable; None if it is the default."""
    if "extern" in before:
        return "external"
    pointers = [place for place, word in enumerate(before) if word == "*"]
    own = before[pointers[-1] :] if pointers else before
    is_internal = "static" in before or not {"const", "constexpr"}.isdisjoint(own)
    return "internal" if is_internal else None
