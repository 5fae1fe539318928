"""The siblings of kernels: functions that launch them, declared beside them.

The compiler resolves overloads, template arguments, and conversions for the sibling as it would
for the kernel, because the sibling has the same parameters after the configuration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from kbuild.cxx.lexer import Token
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, KernelDeclaration
from kbuild.cxx.rewriting.callees import KernelNames
from kbuild.cxx.rewriting.mirrors import write_mirror
from kbuild.cxx.rewriting.names import Name
from kbuild.cxx.rewriting.signatures import (
    Key,
    Parameter,
    Signature,
    expand_aliases,
    read_signature,
    write_parameters,
)
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

CONFIGURATION: Final = "kbuild_c"
_PARAMETER: Final = f"const ::kbuild::chevron::configuration& {CONFIGURATION}"
_LAUNCHED: Final = "::kbuild::chevron::launched"
_SPECIFIERS: Final = "inline __attribute__((always_inline, artificial, unused))"


@dataclass(frozen=True, slots=True)
class _Kernel:
    declaration: KernelDeclaration
    signature: Signature
    namespace: tuple[str, ...]
    is_checked: bool


def name_sibling(name: str, module: str) -> str:
    """Return the name of a kernel's sibling."""
    return f"{name}__kbuild_{module}"


def insert_siblings(
    unit: Unit,
    names: KernelNames,
    module: str,
    launched: tuple[Token, ...] = (),
    checked: frozenset[str] = frozenset(),
) -> Iterator[Edit]:
    """Yield the insertions of siblings, and of using-declarations for them.

    Args:
        unit: The text.
        names: Its kernels.
        module: The part of the siblings' names that is unique to the source.
        launched: The names of kernels in launches.
        checked: The kernels whose siblings tell what they launch.
    """
    scopes = find_scopes(unit)
    kernels = [
        _Kernel(
            declaration,
            read_signature(declaration.template, declaration.parameters),
            scopes.name_namespace(declaration.start),
            declaration.name in checked,
        )
        for declaration in names.kernels
    ]
    for overloads in _group(unit, kernels):
        is_overloaded = len(overloads) > 1 or names.is_overloaded(overloads[0][0].declaration.name)
        for group in overloads:
            is_early = _launches_itself(group[0].declaration, launched)
            yield from _insert_group(unit.text, group, module, is_overloaded, is_early)
    known = {
        (kernel.namespace, kernel.declaration.name, expand_aliases(unit, kernel.signature.key))
        for kernel in kernels
    }
    for function in names.functions:
        signature = read_signature("", unit.text[slice(*function.parameters)])
        key = expand_aliases(unit, signature.key)
        is_template = unit.words[unit.find_index(function.start)] == "template"
        namespace = scopes.name_namespace(function.start)
        if not is_template and (namespace, function.name, key) in known:
            continue  # a kernel is declared again without its qualifier
        name = name_sibling(function.name, module)
        mirror = write_mirror(unit, function, name, _PARAMETER)
        yield insert_line(unit.text, function.start, mirror)
    for using in names.usings:
        line = " ".join(
            f"using {_spell(name)}{name_sibling(name.token.text, module)};" for name in using.names
        )
        yield insert_line(unit.text, using.end, line)


def _spell(name: Name) -> str:
    return "::" * name.is_global + "".join(f"{part}::" for part in name.qualifiers or ())


def _group(unit: Unit, kernels: list[_Kernel]) -> Iterator[list[list[_Kernel]]]:
    """Yield the overloads of each name, each with its redeclarations."""
    named: dict[tuple[tuple[str, ...], str], dict[Key, list[_Kernel]]] = defaultdict(dict)
    for kernel in kernels:
        overloads = named[kernel.namespace, kernel.declaration.name]
        overloads.setdefault(kernel.signature.key, []).append(kernel)
    for overloads in named.values():
        yield list((_merge(unit, overloads) if len(overloads) > 1 else overloads).values())


def _merge(unit: Unit, overloads: dict[Key, list[_Kernel]]) -> dict[Key, list[_Kernel]]:
    """Merge redeclarations that spell types in different ways."""
    merged: dict[Key, list[_Kernel]] = {}
    for key, group in overloads.items():
        merged.setdefault(expand_aliases(unit, key), []).extend(group)
    return merged


def _launches_itself(kernel: KernelDeclaration, launched: tuple[Token, ...]) -> bool:
    """Return whether the first declaration of a kernel needs its sibling in its own body."""
    if kernel.body is None:
        return False
    start, end = kernel.body
    return any(name.text == kernel.name and start < name.start < end for name in launched)


def _insert_group(
    text: str, group: list[_Kernel], module: str, is_overloaded: bool, is_early: bool
) -> Iterator[Edit]:
    """Yield a sibling for each declaration of one kernel; the last one has a body.

    If ``is_early`` is set, the first sibling is declared before its kernel, too.
    """
    outside = [kernel for kernel in group if not kernel.declaration.is_friend]
    defining = (outside or group)[-1]
    if is_early:
        yield insert_line(text, group[0].declaration.start, f"{_write_head(group[0], module)};")
    is_defined = any(kernel.declaration.body is not None for kernel in group)
    for kernel in group:
        body = _write_body(kernel, is_overloaded, is_defined) if kernel is defining else ";"
        is_declared = is_early and kernel is group[0]
        sibling = _write_head(kernel, module, with_defaults=not is_declared) + body
        yield insert_line(text, kernel.declaration.end, sibling)


def insert_line(text: str, position: int, line: str) -> Edit:
    """Return the insertion of a line that belongs to no file of the user."""
    marker = locate(text, position).marker
    return Edit(start=position, end=position, text=f'\n# 1 "<kbuild>" 3\n{line}\n{marker}\n')


def _write_head(kernel: _Kernel, module: str, *, with_defaults: bool = True) -> str:
    signature = kernel.signature
    parameters = [
        _PARAMETER,
        *write_parameters(signature.parameters, with_defaults=with_defaults),
    ]
    friend = "friend " if kernel.declaration.is_friend else ""
    name = name_sibling(kernel.declaration.name, module)
    result = "auto" if kernel.is_checked else "void"
    head = f"{friend}{_SPECIFIERS} {result} {name}({', '.join(parameters)})"
    if kernel.is_checked:
        head += f" -> {_write_tag(kernel)}"
    header = signature.header if with_defaults else signature.plain_header
    return f"{header} {head}".lstrip()


def _write_body(kernel: _Kernel, is_overloaded: bool, is_defined: bool) -> str:
    """Return the body of a sibling.

    A kernel of another source need not be one of kbuild's, and neither need the handle of a
    template's instance, which other sources can define, too.
    """
    is_own = is_defined and not kernel.signature.template
    launch = "launch" if is_own else "launch_address"
    address = _name_kernel(kernel, is_overloaded)
    visible = ""
    if kernel.declaration.is_friend and not kernel.signature.template:
        # Without a declaration outside of the class, the friend's name is not visible.
        visible = f" void {kernel.declaration.name}({_list_types(kernel)});"
    addresses = [_write_address(parameter) for parameter in kernel.signature.parameters]
    if all(parameter.is_pack for parameter in kernel.signature.parameters):
        addresses.append("nullptr")
    return (
        f" {{{visible} void* kbuild_a[] = {{{', '.join(addresses)}}};"
        f" ::kbuild::chevron::{launch}({address}, {CONFIGURATION}, kbuild_a);"
        f"{' return {};' if kernel.is_checked else ''} }}"
    )


def _write_tag(kernel: _Kernel) -> str:
    """Return the type that tells which kernel the sibling launches."""
    return f"{_LAUNCHED}<void (*)({_list_types(kernel)}), {_name_instance(kernel)}>"


def _write_address(parameter: Parameter) -> str:
    suffix = "..." if parameter.is_pack else ""
    return f"(void*)__builtin_addressof({parameter.name}){suffix}"


def _name_kernel(kernel: _Kernel, is_overloaded: bool) -> str:
    """Return an expression for the kernel's address.

    Only where the name is not enough, it gets a cast: compilers disagree about types with
    ``__restrict__``.
    """
    template = kernel.signature.template
    name = _name_instance(kernel)
    has_auto = any(_is_deduced(parameter) for parameter in kernel.signature.parameters)
    if is_overloaded or has_auto or (template and not name.endswith(">")):
        return f"static_cast<void (*)({_list_types(kernel)})>({name})"
    return name


def _name_instance(kernel: _Kernel) -> str:
    """Return the kernel's name, with template arguments where they can be spelled."""
    template = kernel.signature.template
    arguments = [f"{each.name}..." if each.is_pack else each.name for each in template]
    if any(each.is_pack for each in template[:-1]):
        arguments = []  # the pack would take all arguments, so the types must tell them
    return kernel.declaration.name + (f"<{', '.join(arguments)}>" if arguments else "")


def _is_deduced(parameter: Parameter) -> bool:
    """Return whether the parameter makes the kernel a template without a header."""
    return "auto" in parameter.key


def _list_types(kernel: _Kernel) -> str:
    return ", ".join(
        f"decltype({parameter.name}){'...' * parameter.is_pack}"
        if _is_deduced(parameter)
        else parameter.type
        for parameter in kernel.signature.parameters
    )
