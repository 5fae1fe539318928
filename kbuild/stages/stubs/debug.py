"""Describe debug stubs: functions with the kernels' parameters that appear in stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kbuild.demangle.names import split_function
from kbuild.demangle.stub_names import PREFIX, base_identifier
from kbuild.model import KernelRecord, Param, TargetRecord
from kbuild.values import replace

_BUILTIN_WORDS: Final = frozenset(
    (
        *("void", "bool", "char", "short", "int", "long", "float", "double", "__int128"),
        *("signed", "unsigned", "const", "volatile"),
        *("wchar_t", "char8_t", "char16_t", "char32_t"),
    )
)
# The types of kbuild/vector_types.hpp, which generated code includes if it needs them.
_VECTOR_TYPE: Final = re.compile(
    r"dim3|u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4]"
    r"|(?:u?long|u?longlong|double)4_(?:16|32)a"
)
# Parts of the spellings of types that other source files cannot name.
_NAMELESS: Final = ("(anonymous namespace)", "{lambda", "{unnamed", "(unnamed")
# A pointer to an object; not one to a function or member.
_POINTER: Final = re.compile(r"(?<!::)(?<!\()\*(?: ?(?:const|volatile|__restrict__?))*$")
# The mark of a reference; one to an array or function has parentheses around it.
_REFERENCE: Final = re.compile(r"(?<=\()&(?=\))|&\Z")
# A type of kbuild/debug_stub.hpp that has only a size.
_OPAQUE: Final = "kbuild_opaque"
# The number of parameters that a note lists. It counts the rest.
_LISTED: Final = 3


def names_project_types(spelled: str) -> bool:
    """Return whether a parameter type is defined by the project, or made of such a type."""
    words = set(re.findall(r"[A-Za-z_]\w*", spelled)) - _BUILTIN_WORDS
    return not all(_VECTOR_TYPE.fullmatch(word) for word in words)


def uses_vector_types(kernels: Iterable[KernelRecord]) -> bool:
    """Return whether a parameter type names one of CUDA's vector types or ``dim3``."""
    spelled = (param.type or "" for kernel in kernels for param in kernel.params)
    return any(_VECTOR_TYPE.fullmatch(word) for s in spelled for word in re.findall(r"\w+", s))


def describe_stubs(table: TargetRecord, *, has_headers: bool) -> tuple[Mapping[str, Any], ...]:
    """Return one template row per kernel with a debug stub."""
    return tuple(
        _describe_stub(_find_linkage(kernel, table), index, has_headers=has_headers)
        for index, kernel in enumerate(table.kernels)
        if kernel.stub is not None
    )


def _find_linkage(kernel: KernelRecord, table: TargetRecord) -> KernelRecord:
    """Return the kernel with the linkage of its stub.

    Each mixed source has its own stub of an instance, also if a linker keeps another one's handle.
    """
    is_own = table.has_host_texts and kernel.linkage == "weak"
    return replace(kernel, linkage="internal") if is_own else kernel


def list_notes(table: TargetRecord, *, has_headers: bool) -> tuple[str, ...]:
    """Return a note about the parameters that debug stubs cannot show with their types."""
    found = {
        f"'{param.type or param.name or param.index}' of '{kernel.display}'": None
        for kernel in table.kernels
        if kernel.stub is not None
        for param in kernel.params
        if not _can_spell(param.type, has_headers=has_headers)
    }
    if not found:
        return ()
    names = [*found][:_LISTED]
    rest = f", and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    note = (
        f"debug stubs show these parameters without their types: {', '.join(names)}{rest}; "
        "list the headers that define the types in HEADERS"
    )
    return (note,)


def _describe_stub(kernel: KernelRecord, index: int, *, has_headers: bool) -> Mapping[str, Any]:
    qualified, _ = split_function(kernel.display)
    # Instances of a template, and static kernels of two sources, can have the same name and
    # parameters. They need a number, because only their symbols differ.
    is_ambiguous = qualified.endswith(">") or kernel.linkage == "internal"
    identifier = base_identifier(qualified)
    namespace = "" if "(" in qualified else qualified.partition("<")[0].rpartition("::")[0]
    name = f"{PREFIX}{identifier}{f'_{index}' if is_ambiguous else ''}"
    is_c = kernel.device_name == identifier
    params = [
        _describe_param(param, has_headers=has_headers, is_c=is_c)
        for param in _number_packs(kernel.params)
    ]
    # Only the type tells which registers contain a parameter, so that such a stub declares none.
    is_opaque = any(param["type"].startswith(_OPAQUE) for param in params)
    declared = [] if is_opaque else params
    return {
        "index": index,
        "display": kernel.display,
        "symbol": kernel.stub,
        "linkage": kernel.linkage,
        "namespace": namespace,
        "declarator": f"{name}({', '.join(p['declaration'] for p in declared)})",
        "types": ", ".join(p["type"] for p in declared),
        "is_c": is_c,
        "is_opaque": is_opaque,
        "params": params,
        "instance": _name_instance(qualified),
    }


def _name_instance(qualified: str) -> str | None:
    """Return the name of the stub of a template's instance as a debugger spells it.

    gdb finds templates in namespace scope by this name only if a symbol has it, because the
    demangled name starts with the type of the result.
    """
    head, bracket, arguments = qualified.partition("<")
    if not bracket or "(" in head or not qualified.endswith(">"):
        return None
    scope, colons, name = head.rpartition("::")
    return f"{scope}{colons}{PREFIX}{name}<{arguments}"


def _number_packs(params: Sequence[Param]) -> Iterator[Param]:
    """Yield parameters with unique names: clang gives all elements of a pack the same name."""
    names = [param.name for param in params]
    for param in params:
        is_unique = names.count(param.name) == 1
        yield param if is_unique else replace(param, name=None)


def _describe_param(param: Param, *, has_headers: bool, is_c: bool) -> Mapping[str, Any]:
    name = param.name or f"argument_{param.index}"
    is_known = _can_spell(param.type, has_headers=has_headers)
    spelled = _spell_type(param, is_known=is_known)
    # The image does not confirm types that come from a source or header, so check their size.
    is_checked = is_known and (is_c or names_project_types(spelled))
    return {
        "type": spelled,
        "name": name,
        "size": param.size if is_checked else None,
        "declaration": f"{spelled} {name}",
    }


def _can_spell(spelled: str | None, *, has_headers: bool) -> bool:
    """Return whether the stub unit can name a parameter's type."""
    if spelled is None or any(word in spelled for word in _NAMELESS):
        return False
    return has_headers or not names_project_types(spelled)


def _spell_type(param: Param, *, is_known: bool) -> str:
    # Kernels receive references as pointers.
    spelled = None if param.type is None else _REFERENCE.sub("*", param.type, count=1)
    if spelled is not None and not is_known and _POINTER.search(spelled):
        return "void *"  # all pointers to objects are passed alike
    if spelled is None or not is_known:
        return f"{_OPAQUE}<{param.size}>"
    # In declarations of functions and arrays, the type surrounds the name.
    needs_alias = "(" in spelled or "[" in spelled
    return f"kbuild_parameter<{spelled}>::__type" if needs_alias else spelled
