"""Debug stubs: functions that a stack trace shows, with the kernels' own parameters."""

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
# The types of kbuild/vector_types.hpp, which generated code includes where it needs them.
_VECTOR_TYPE: Final = re.compile(
    r"dim3|u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4]"
)
# How demanglers spell types that no other source file can name.
_NAMELESS: Final = ("(anonymous namespace)", "{lambda", "{unnamed", "(unnamed")


def names_other_types(spelled: str) -> bool:
    """Whether a parameter type is the project's own, or made of one."""
    words = set(re.findall(r"[A-Za-z_]\w*", spelled)) - _BUILTIN_WORDS
    return not all(_VECTOR_TYPE.fullmatch(word) for word in words)


def uses_vector_types(kernels: Iterable[KernelRecord]) -> bool:
    """Whether a parameter is, or leads to, one of CUDA's vector types or dim3."""
    spelled = (param.type or "" for kernel in kernels for param in kernel.params)
    return any(_VECTOR_TYPE.fullmatch(word) for s in spelled for word in re.findall(r"\w+", s))


def describe_stubs(table: TargetRecord, *, has_headers: bool) -> tuple[Mapping[str, Any], ...]:
    """A row a kernel for the stub unit's template; None of them where there are no stubs.

    Raises SourceError, naming kernel and type, for a parameter that the stub unit cannot
    declare.
    """
    return tuple(
        _describe_stub(kernel, index, has_headers=has_headers)
        for index, kernel in enumerate(table.kernels)
        if kernel.stub is not None
    )


def _describe_stub(kernel: KernelRecord, index: int, *, has_headers: bool) -> Mapping[str, Any]:
    qualified, _ = split_function(kernel.display)
    # Instances of a template, and static kernels of two sources, may agree in name and
    # parameters: their names are in their symbols alone.
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
    spelled = _declare(kernel, param.type, has_headers=has_headers)
    name = param.name or f"argument_{param.index}"
    return {
        "type": spelled,
        "name": name,
        # What a source or a header says, and no image.
        "size": param.size if is_c or names_other_types(spelled) else None,
        "declaration": f"{spelled} {name}",
    }


def _declare(kernel: KernelRecord, spelled: str | None, *, has_headers: bool) -> str:
    if spelled is None:
        reason = (
            "neither the device image nor its source says its parameter types: drop "
            '`extern "C"`, or declare it without macros and outside of #if'
        )
    elif any(word in spelled for word in _NAMELESS):
        reason = f"no other file can name its parameter type '{spelled}'; give it a name in HEADERS"
    elif not has_headers and names_other_types(spelled):
        reason = f"name the header that defines its parameter type '{spelled}' in HEADERS"
    else:
        # Declarators of function and array types surround their name.
        needs_alias = "(" in spelled or "[" in spelled
        return f"kbuild_parameter<{spelled}>::__type" if needs_alias else spelled
    raise SourceError(f"kernel '{kernel.display}' can have no debug stub: {reason}")
