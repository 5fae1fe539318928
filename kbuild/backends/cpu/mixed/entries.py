"""The kernels and variables of a mixed source for which host code needs handles and shadows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.cpu.contents import OWN_SUFFIX, REFERENCE_PREFIX, display_variable, read_table
from kbuild.backends.cpu.objects import describe_object
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Entries, KernelEntry, VariableEntry
from kbuild.backends.interface.read import ImageContent
from kbuild.demangle.linkage import drop_internal_mark, names_local_entity
from kbuild.demangle.names import demangle, names_instance
from kbuild.errors import SourceError
from kbuild.formats.elf.file import Elf
from kbuild.model import Kernel, Linkage, Variable

# The starts of the mangled names of variables with a scope that is not a function, and of std.
_VARIABLE: Final = ("_ZL", "_ZN")
_STANDARD: Final = "_ZNSt"
# clang's name for a lambda in a function without linkage. It counts all lambdas of the object, of
# which the two passes have different ones.
_NUMBERED_LAMBDA: Final = re.compile(r"\$_\d")
_ANONYMOUS: Final = "(anonymous namespace)::"
# The names of instances of variable templates that host text can contain: not those with arguments
# that are local types or addresses.
_SPELLABLE: Final = re.compile(r"(?:[\w:<>, *-]|\(anonymous namespace\)::|\([\w:]+\)-?\d)+")


def list_entries(unit: CompileUnit) -> Entries:
    """List the entries of a finished device pass.

    Raises:
        SourceError: The host compiler gives a kernel another name.
    """
    base = unit.output
    object_file = base.with_name(base.name + ".o")
    if unit.relocatable:
        content = describe_object(object_file.read_bytes())
    else:
        image = Elf(base.with_name(base.name + ".so").read_bytes())
        content = read_table(image)
        _reject_host_variables(image, content, object_file, unit.display_source)
    return Entries(
        kernels=tuple(_describe_kernel(kernel, unit) for kernel in content.kernels),
        variables=tuple(
            _describe_variable(variable, is_relocatable=unit.relocatable)
            for variable in content.variables
            if not variable.display.endswith(">") or _SPELLABLE.fullmatch(variable.display)
        ),
    )


def _reject_host_variables(
    image: Elf, content: ImageContent, object_file: Path, where: str
) -> None:
    """Reject host variables that kernels use: the image has its own copy of each of them.

    The linker dropped the variables of the object that only host functions use. Parts of static
    libraries, such as libstdc++.a, stay in the image with their own variables.
    """
    known = {variable.name for variable in content.variables}
    suspects = [name for name in _list_program_variables(image) if name not in known]
    if not suspects:
        return
    own = set(_list_program_variables(Elf(object_file.read_bytes())))
    for name in suspects:
        if name in own:
            raise SourceError(
                f"{where}: device code uses the host variable '{demangle(name)}'; mark it "
                "__device__, __constant__, or __managed__, or pass it to the kernel"
            )


def _list_program_variables(elf: Elf) -> Iterator[str]:
    """Yield the symbols of the variables that host code can change and a program wrote."""
    for symbol in elf.symbols:
        if symbol.type == "object" and symbol.place is not None:
            section = elf.sections[symbol.place.section].name
            if section.startswith((".data", ".bss")) and _is_program_variable(symbol.name, section):
                yield symbol.name


def _is_program_variable(name: str, section: str) -> bool:
    """Return whether it is a variable of a namespace or a class that a program wrote."""
    if section.startswith(".data.rel.ro"):
        return False
    is_reserved = name.startswith(("_", "kbuild_")) or "." in name
    is_scoped = name.startswith(_VARIABLE) and not name.startswith(_STANDARD)
    return is_scoped or not is_reserved


def _describe_kernel(kernel: Kernel, unit: CompileUnit) -> KernelEntry:
    own = OWN_SUFFIX.sub("", kernel.name)
    if _NUMBERED_LAMBDA.search(own):
        raise SourceError(
            f"{unit.display_source}: clang does not give kernel '{kernel.display}', which takes a "
            "lambda, the same name in host and device code; compile with g++, or pass an object "
            "of a class with operator()"
        )
    symbol = drop_internal_mark(own)
    return KernelEntry(
        device_name=kernel.name,
        expression=None,
        linkage=_find_linkage(kernel),
        symbol=None if symbol == kernel.name else symbol,
        # The host text drops `static`, but not the other reasons for internal linkage.
        is_emitted_by_clang=kernel.linkage == "internal" and names_local_entity(own),
    )


def _find_linkage(kernel: Kernel) -> Linkage:
    """Return the linkage of the handle: an inline kernel belongs to its source."""
    is_inline = kernel.linkage == "weak" and not names_instance(kernel.name)
    return "internal" if is_inline else kernel.linkage


def _describe_variable(variable: Variable, *, is_relocatable: bool) -> VariableEntry:
    """Describe a variable for which the host text defines a shadow.

    With a device link, the shadow has the linkage of the variable. Without one, it can be static.
    The shadow of a static variable can have external linkage: headers such as those of CCCL define
    an inline constant for the host, and a static one for devices.
    """
    own = OWN_SUFFIX.sub("", variable.name)
    if variable.display.endswith(">"):
        return VariableEntry(
            device_name=variable.name,
            expression=f"::{variable.display.replace(_ANONYMOUS, '')}",
            kind=variable.kind,
            size=variable.size,
            linkage="internal",
        )
    is_reference = own.startswith(REFERENCE_PREFIX)
    is_static = drop_internal_mark(own) != own
    is_local = names_local_entity(own)
    is_named = is_reference or not (is_local or (is_relocatable and not is_static))
    return VariableEntry(
        device_name=variable.name,
        expression=f"::{display_variable(own)}" if is_named else None,
        # The shadow of a managed variable is its storage, not a pointer to it.
        kind="device" if is_reference else variable.kind,
        size=variable.size,
        linkage="internal" if is_reference or is_static or not is_named else "external",
        symbol=None if own == variable.name or is_reference else own,
    )
