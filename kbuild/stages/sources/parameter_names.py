"""Gives kernels the parameter names, and missing types, that their sources declare.

Matched by signature, never guessed: a kernel whose declarations disagree keeps none.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.demangle.names import split_function
from kbuild.demangle.stub_names import without_template_arguments
from kbuild.model import KernelRecord, Param
from kbuild.stages.sources.kernels import DeclaredKernel, DeclaredParam, find_kernels

_BUILTIN: Final = frozenset(
    (
        *("void", "bool", "char", "short", "int", "long", "float", "double", "__int128"),
        *("signed", "unsigned", "wchar_t", "char8_t", "char16_t", "char32_t"),
    )
)
_QUALIFIERS: Final = ("const", "volatile")


def declare_params(
    kernels: tuple[KernelRecord, ...], files: Mapping[int, tuple[Path, ...]]
) -> tuple[KernelRecord, ...]:
    """The rows with what the ``files`` of each container declare.

    Files that are gone or cannot be parsed say nothing.
    """
    lacking = {row.container for row in kernels if _is_open(row)}
    return declare_from_texts(
        kernels,
        {
            container: _read_texts(paths)
            for container, paths in files.items()
            if container in lacking
        },
    )


def declare_from_texts(
    kernels: tuple[KernelRecord, ...], texts: Mapping[int, tuple[bytes, ...]]
) -> tuple[KernelRecord, ...]:
    """The rows with what the ``texts`` of each container declare."""
    declared = {container: _index(sources) for container, sources in texts.items()}
    return tuple(
        _declare(row, declared.get(row.container, {})) if _is_open(row) else row for row in kernels
    )


# C linkage or not, and the name with its scopes.
_Name: TypeAlias = tuple[bool, str]


def _index(sources: tuple[bytes, ...]) -> dict[_Name, list[DeclaredKernel]]:
    """What the sources declare, by name: a target may have thousands of kernels."""
    found: dict[_Name, list[DeclaredKernel]] = {}
    for text in sources:
        for kernel in find_kernels(text):
            name = kernel.name if kernel.is_c else kernel.qualified
            found.setdefault((kernel.is_c, name), []).append(kernel)
    return found


def _is_open(row: KernelRecord) -> bool:
    return any(param.name is None or param.type is None for param in row.params)


def _read_texts(paths: tuple[Path, ...]) -> tuple[bytes, ...]:
    """What the files hold, each text once: most sources are the same on every architecture."""
    texts = []
    for path in paths:
        with contextlib.suppress(OSError):
            texts.append(path.read_bytes())
    return tuple(dict.fromkeys(texts))


def _declare(row: KernelRecord, declared: dict[_Name, list[DeclaredKernel]]) -> KernelRecord:
    qualified, types = split_function(row.display)
    is_c = types is None
    name = (is_c, row.display if is_c else without_template_arguments(qualified))
    found = [kernel for kernel in declared.get(name, ()) if _has_params(kernel, row)]
    return replace(row, params=tuple(_fill(param, found) for param in row.params))


def _fill(param: Param, found: list[DeclaredKernel]) -> Param:
    """The parameter with the one name, and the one type, that the declarations give it."""
    # A definition's name goes before those of declarations, where it has one.
    defined = [k.params[param.index].name for k in found if k.is_definition]
    declared = [k.params[param.index].name for k in found if not k.is_definition]
    types = [_find_type(kernel, kernel.params[param.index]) for kernel in found]
    return replace(
        param,
        name=param.name or _agree([n for n in defined if n] or [n for n in declared if n]),
        type=param.type or _agree(types),
    )


def _find_type(kernel: DeclaredKernel, said: DeclaredParam) -> str | None:
    # Outside its scope a name may be another type's.
    return said.type if not kernel.scope or _read_builtin(said.type) is not None else None


def _agree(said: list[str | None] | list[str]) -> str | None:
    return said[0] if len(set(said)) == 1 else None


def _has_params(kernel: DeclaredKernel, row: KernelRecord) -> bool:
    return len(kernel.params) == len(row.params) and all(
        _may_be(said.type, param.type)
        for said, param in zip(kernel.params, row.params, strict=True)
    )


def _may_be(said: str, found: str | None) -> bool:
    """Whether a type of the source can be the image's: aliases and templates are not resolved."""
    first, second = _read_builtin(said), _read_builtin(found) if found else None
    return first is None or second is None or first == second


def _read_builtin(spelled: str) -> tuple[frozenset[str], int, str] | None:
    """A built-in type, or a pointer to one, in one form; None for what a project names.

    ``const`` of the parameter itself is no part of a function's type.
    """
    base, *rest = re.split(r"(?=[*&])", spelled, maxsplit=1)
    words = re.findall(r"\w+|[^\w\s]", base)
    names = [word for word in words if word not in _QUALIFIERS]
    if not names or not all(name in _BUILTIN for name in names):
        return None
    pointers = re.sub(r"\s+|(?:const|volatile)\s*$", "", rest[0]) if rest else ""
    qualifiers = frozenset(w for w in words if w in _QUALIFIERS) if pointers else frozenset()
    longs = names.count("long")
    kinds = frozenset(names) - ({"int", "signed"} if len(names) > 1 else set())
    return (kinds or frozenset(("int",))) | qualifiers, longs, pointers
