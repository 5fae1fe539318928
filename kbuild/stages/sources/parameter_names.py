"""Add the parameter names and missing types that sources declare to the kernel table.

Declarations are matched by signature. If the declarations of a kernel disagree on a name or a type,
it stays unknown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.cxx.declarators import BUILT_IN_TYPES
from kbuild.cxx.rewriting.type_keys import Words, spell_type
from kbuild.cxx.tokens import read_tokens
from kbuild.demangle.names import split_function
from kbuild.demangle.stub_names import without_template_arguments
from kbuild.model import KernelRecord, Param
from kbuild.stages.sources.kernels import DeclaredKernel, DeclaredParam, find_declared_kernels
from kbuild.values import replace

_QUALIFIERS: Final = ("const", "volatile")


def declare_params(
    kernels: tuple[KernelRecord, ...], files: Mapping[int, tuple[Path, ...]]
) -> tuple[KernelRecord, ...]:
    """Complete the rows from the source files of each container.

    Args:
        kernels: The rows.
        files: The files of each container, by its index. Missing files are ignored.
    """
    incomplete = {row.container for row in kernels if _is_incomplete(row)}
    return declare_from_texts(
        kernels,
        {
            container: _read_texts(paths)
            for container, paths in files.items()
            if container in incomplete
        },
    )


def declare_from_texts(
    kernels: tuple[KernelRecord, ...], texts: Mapping[int, tuple[bytes, ...]]
) -> tuple[KernelRecord, ...]:
    """Complete the rows from the source texts of each container; see `declare_params`."""
    declared = {container: _index(sources) for container, sources in texts.items()}
    return tuple(
        _declare(row, declared.get(row.container, {})) if _is_incomplete(row) else row
        for row in kernels
    )


# Whether the kernel has C linkage, and its name (without C linkage: with its scopes).
_Name: TypeAlias = tuple[bool, str]


def _index(sources: tuple[bytes, ...]) -> dict[_Name, list[DeclaredKernel]]:
    """Index the declared kernels by name, because a target can have thousands of kernels."""
    found: dict[_Name, list[DeclaredKernel]] = {}
    for text in sources:
        for kernel in find_declared_kernels(text):
            name = kernel.name if kernel.is_c else kernel.qualified
            found.setdefault((kernel.is_c, name), []).append(kernel)
    return found


def _is_incomplete(row: KernelRecord) -> bool:
    return any(param.name is None or param.type is None for param in row.params)


def _read_texts(paths: tuple[Path, ...]) -> tuple[bytes, ...]:
    """Read the files, each text once: most sources declare the same on every architecture."""
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
    """Complete the parameter with the name and type on which the declarations agree."""
    # If a definition names the parameter, it takes precedence over declarations.
    defined = [k.params[param.index].name for k in found if k.is_definition]
    declared = [k.params[param.index].name for k in found if not k.is_definition]
    types = [_find_type(kernel, kernel.params[param.index]) for kernel in found]
    return replace(
        param,
        name=param.name or _agree([n for n in defined if n] or [n for n in declared if n]),
        type=param.type or _agree(types),
    )


def _find_type(kernel: DeclaredKernel, declared: DeclaredParam) -> str | None:
    # Outside of the kernel's scope, the name could mean another type.
    is_usable = not kernel.scope or _read_builtin(declared.type) is not None
    return declared.type if is_usable else None


def _agree(spellings: list[str | None] | list[str]) -> str | None:
    return spellings[0] if len(set(spellings)) == 1 else None


def _has_params(kernel: DeclaredKernel, row: KernelRecord) -> bool:
    return len(kernel.params) == len(row.params) and all(
        _can_match(declared.type, param.type)
        for declared, param in zip(kernel.params, row.params, strict=True)
    )


def _can_match(declared: str, found: str | None) -> bool:
    """Return whether a type in the source can be the type in the image.

    Aliases and template parameters are not resolved, so they can match any type.
    """
    first, second = _read_builtin(declared), _read_builtin(found) if found else None
    return first is None or second is None or first == second


def _read_builtin(spelled: str) -> Words | None:
    """Return the words of a built-in type, or of a pointer to one, in the same order for all.

    The result is None for any other type.
    """
    words = spell_type(read_tokens(spelled), [])
    names = [word for word in words if word.isidentifier() and word not in _QUALIFIERS]
    return words if names and BUILT_IN_TYPES.issuperset(names) else None
