"""Describe debug stubs: functions with the kernels' parameters that appear in stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kbuild.demangle.names import split_function
from kbuild.demangle.stub_names import PREFIX, base_identifier
from kbuild.errors import SourceError
from kbuild.model import KernelRecord, Param, TargetRecord

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
)
# Parts of the spellings of types that other source files cannot name.
_NAMELESS: Final = ("(anonymous namespace)", "{lambda", "{unnamed", "(unnamed")


def names_project_types(spelled: str) -> bool:
    """Return whether a parameter type is defined by the project, or made of such a type."""
    words = set(re.findall(r"[A-Za-z_]\w*", spelled)) - _BUILTIN_WORDS
    return not all(_VECTOR_TYPE.fullmatch(word) for word in words)


def uses_vector_types(kernels: Iterable[KernelRecord]) -> bool:
    """Return whether a parameter type names one of CUDA's vector types or ``dim3``."""
    spelled = (param.type or "" for kernel in kernels for param in kernel.params)
    return any(_VECTOR_TYPE.fullmatch(word) for s in spelled for word in re.findall(r"\w+", s))


def describe_stubs(table: TargetRecord, *, has_headers: bool) -> tuple[Mapping[str, Any], ...]:
    """Return one template row per kernel with a debug stub.

    Raises:
        SourceError: The stub unit cannot declare a parameter. The message names the kernel.
    """
    return tuple(
        _describe_stub(kernel, index, has_headers=has_headers)
        for index, kernel in enumerate(table.kernels)
        if kernel.stub is not None
    )


def _describe_stub(kernel: KernelRecord, index: int, *, has_headers: bool) -> Mapping[str, Any]:
    qualified, _ = split_function(kernel.display)
    # Instances of a template, and static kernels of two sources, can have the same name and
    # parameters. They need a number, because only their symbols differ.
    is_ambiguous = qualified.endswith(">") or kernel.linkage == "internal"
    identifier = base_identifier(qualified)
    namespace = "" if "(" in qualified else qualified.partition("<")[0].rpartition("::")[0]
    name = f"{PREFIX}{identifier}{f'_{index}' if is_ambiguous else ''}"
    is_c = kernel.device_name == identifier
    params = [_describe_param(kernel, param, has_headers, is_c=is_c) for param in kernel.params]
    return {
        "index": index,
        "display": kernel.display,
        "symbol": kernel.stub,
        "linkage": kernel.linkage,
        "namespace": namespace,
        "declarator": f"{name}({', '.join(p['declaration'] for p in params)})",
        "is_c": is_c,
        "params": params,
    }


def _describe_param(
    kernel: KernelRecord, param: Param, has_headers: bool, *, is_c: bool
) -> Mapping[str, Any]:
    spelled = _spell_type(kernel, param.type, has_headers=has_headers)
    name = param.name or f"argument_{param.index}"
    return {
        "type": spelled,
        "name": name,
        # The image does not confirm types that come from a source or header, so check their size.
        "size": param.size if is_c or names_project_types(spelled) else None,
        "declaration": f"{spelled} {name}",
    }


def _spell_type(kernel: KernelRecord, spelled: str | None, *, has_headers: bool) -> str:
    if spelled is None:
        reason = (
            "its parameter types are neither in the device image nor in its source; remove "
            '`extern "C"`, or declare it without macros and outside of #if'
        )
    elif any(word in spelled for word in _NAMELESS):
        reason = (
            f"other files cannot name its parameter type '{spelled}'; use a named type, and list "
            "its header in HEADERS"
        )
    elif not has_headers and names_project_types(spelled):
        reason = f"list the header that defines its parameter type '{spelled}' in HEADERS"
    else:
        # In declarations of functions and arrays, the type surrounds the name.
        needs_alias = "(" in spelled or "[" in spelled
        return f"kbuild_parameter<{spelled}>::__type" if needs_alias else spelled
    raise SourceError(f"kernel '{kernel.display}' cannot have a debug stub: {reason}")
