"""The siblings of kernels: functions that launch them, declared beside them.

The compiler resolves overloads, template arguments, and conversions for the sibling as it would
for the kernel, because the sibling has the same parameters after the configuration.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, HostText, KernelDeclaration
from kbuild.cxx.scopes import Scopes
from kbuild.cxx.signatures import Parameter, Signature, read_signature

CONFIGURATION: Final = "kbuild_c"
_SPECIFIERS: Final = "inline __attribute__((always_inline, artificial, unused)) void"


@dataclass(frozen=True, slots=True)
class _Kernel:
    declaration: KernelDeclaration
    signature: Signature
    namespace: tuple[str, ...]


def name_sibling(name: str, module: str) -> str:
    """Return the name of a kernel's sibling."""
    return f"{name}__kbuild_{module}"


def insert_siblings(
    text: str, found: HostText, module: str, scopes: Scopes, *, is_device: bool
) -> Iterator[Edit]:
    """Yield the insertions of siblings, and of using-declarations for them."""
    kernels = [
        _Kernel(
            declaration,
            read_signature(declaration.template, declaration.parameters),
            scopes.name_namespace(declaration.start),
        )
        for declaration in found.kernels
        if declaration.form == "declaration"
    ]
    overloads: dict[tuple[tuple[str, ...], str], dict[object, list[_Kernel]]] = defaultdict(dict)
    for kernel in kernels:
        same = overloads[kernel.namespace, kernel.declaration.name]
        same.setdefault(kernel.signature.key, []).append(kernel)
    for by_key in overloads.values():
        for same_kernel in by_key.values():
            yield from _insert_group(text, same_kernel, module, len(by_key) > 1, is_device)
    yield from _insert_using(text, kernels, module)


def _insert_group(
    text: str, group: list[_Kernel], module: str, is_overloaded: bool, is_device: bool
) -> Iterator[Edit]:
    """Yield a sibling for each declaration of one kernel; the last one has a body."""
    outside = [kernel for kernel in group if not kernel.declaration.is_friend]
    defining = (outside or group)[-1]
    for kernel in group:
        body = _write_body(kernel, is_overloaded, is_device) if kernel is defining else ";"
        sibling = _write_head(kernel, module) + body
        yield _insert_line(text, kernel.declaration.end, sibling)


def _insert_line(text: str, position: int, line: str) -> Edit:
    """Return the insertion of a line that belongs to no file of the user."""
    marker = locate(text, position).marker
    return Edit(start=position, end=position, text=f'\n# 1 "<kbuild>" 3\n{line}\n{marker}\n')


def _write_head(kernel: _Kernel, module: str) -> str:
    parameters = [
        f"const ::kbuild::chevron::configuration& {CONFIGURATION}",
        *(parameter.text for parameter in kernel.signature.parameters),
    ]
    friend = "friend " if kernel.declaration.is_friend else ""
    name = name_sibling(kernel.declaration.name, module)
    head = f"{friend}{_SPECIFIERS} {name}({', '.join(parameters)})"
    return f"{kernel.signature.header} {head}".lstrip()


def _write_body(kernel: _Kernel, is_overloaded: bool, is_device: bool) -> str:
    address = _name_kernel(kernel, is_overloaded)
    if is_device:
        return f" {{ ::kbuild::chevron::instantiate({address}); }}"
    addresses = [_write_address(parameter) for parameter in kernel.signature.parameters]
    if all(parameter.is_pack for parameter in kernel.signature.parameters):
        addresses.append("nullptr")
    return (
        f" {{ void* kbuild_a[] = {{{', '.join(addresses)}}};"
        f" ::kbuild::chevron::launch({address}, {CONFIGURATION}, kbuild_a); }}"
    )


def _write_address(parameter: Parameter) -> str:
    suffix = "..." if parameter.is_pack else ""
    return f"(void*)__builtin_addressof({parameter.name}){suffix}"


def _name_kernel(kernel: _Kernel, is_overloaded: bool) -> str:
    """Return an expression for the kernel's address.

    Only overloaded names get a cast: compilers disagree about types with ``__restrict__``.
    """
    arguments = ", ".join(
        f"{parameter.name}..." if parameter.is_pack else parameter.name
        for parameter in kernel.signature.template
    )
    name = kernel.declaration.name + (f"<{arguments}>" if arguments else "")
    if not is_overloaded:
        return name
    types = ", ".join(parameter.type for parameter in kernel.signature.parameters)
    return f"static_cast<void (*)({types})>({name})"


def _insert_using(text: str, kernels: list[_Kernel], module: str) -> Iterator[Edit]:
    """Yield a using-declaration of the sibling after each one of a kernel."""
    named: dict[str, set[str]] = defaultdict(set)
    for kernel in kernels:
        scope = [name for name in kernel.namespace if name]
        named[kernel.declaration.name].add(scope[-1] if scope else "")
    if not named:
        return
    pattern = re.compile(
        rf"using\s+((?:::\s*)?(?:\w+\s*::\s*)*)({'|'.join(map(re.escape, sorted(named)))})\s*;"
    )
    for using in pattern.finditer(text):
        qualifier = [part for part in re.split(r"[\s:]+", using[1]) if part]
        if (qualifier[-1] if qualifier else "") in named[using[2]]:
            sibling = name_sibling(using[2], module)
            yield _insert_line(text, using.end(), f"using {using[1]}{sibling};")
