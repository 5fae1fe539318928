"""Read the kernels, variables, and symbols of linked CPU images.

This module is separate from those that make images, because every verification reads images, and
reading them does not need DWARF.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

from kbuild.backends.interface.read import ImageContent
from kbuild.demangle.names import demangle
from kbuild.errors import InputError
from kbuild.facts import Place
from kbuild.formats.elf.file import Elf
from kbuild.model import Kernel, Linkage, Param, Resources, Variable, VariableKind

LINKAGE_CODES: Final[tuple[Linkage, ...]] = ("external", "weak", "internal")
# The suffix that distinguishes the static kernels of two sources in a device link.
OWN_SUFFIX: Final = re.compile(r"\.kbuild_[0-9a-f]{16}\Z")
# The start of the symbol through which device code refers to a managed variable of a mixed source.
# The names of the namespaces and of the variable follow, separated by dots.
REFERENCE_PREFIX: Final = "kbuild_managed."

# struct kbuild_cpu_image, its rows, and their enumerators; see kbuild/cpu_image.h.
_IMAGE_SYMBOL: Final = "kbuild_cpu_image"
_IMAGE_ABI: Final = 12
_ROW_BYTES: Final = 80
_VARIABLES: Final = 32
_VARIABLE_BYTES: Final = 32
# The last one is KBUILD_CPU_REFERENCE.
VARIABLE_KINDS: Final[tuple[VariableKind, ...]] = ("device", "constant", "managed", "managed")
_MOST_PARAMETERS: Final = 4096
_MOST_VARIABLES: Final = 1 << 20


def name_apart(symbol: str, own_name: str) -> str:
    """Return the symbol of a static entity for a device link; see `CompileUnit.own_name`."""
    return f"{symbol}.kbuild_{own_name}"


def read_table(elf: Elf) -> ImageContent:
    """Read the table that an image exports; raise InputError if it is missing."""
    table = next(
        (s.place for s in elf.symbols if s.name == _IMAGE_SYMBOL and s.place is not None), None
    )
    if table is None:
        raise InputError(f"the image does not define {_IMAGE_SYMBOL}")
    abi, count = struct.unpack("<II", elf.read(table, 8))
    if abi != _IMAGE_ABI:
        raise InputError(f"unsupported image ABI {abi}; expected {_IMAGE_ABI}")
    rows = elf.pointer_at(Place(section=table.section, offset=table.offset + 8)).place
    if rows is None:
        raise InputError("the image's kernel table is outside the image")
    kernels = tuple(_read_row(elf, rows, index) for index in range(count))
    # The table points to adapters. Profilers see the kernels that the adapters call.
    named = {symbol.name for symbol in elf.symbols if symbol.type == "function"}
    return ImageContent(
        kernels=kernels,
        nameless=tuple(kernel.name for kernel in kernels if kernel.name not in named),
        variables=tuple(_read_variables(elf, _moved(table, _VARIABLES))),
    )


def display_name(symbol: str) -> str:
    """Return the C++ name of a kernel, without the suffix that `name_apart` added."""
    return demangle(OWN_SUFFIX.sub("", symbol))


def display_variable(symbol: str) -> str:
    """Return the C++ name of a device variable."""
    name = OWN_SUFFIX.sub("", symbol)
    if name.startswith(REFERENCE_PREFIX):
        return name.removeprefix(REFERENCE_PREFIX).replace(".", "::")
    return demangle(name)


def _read_variables(elf: Elf, table: Place) -> Iterator[Variable]:
    """Yield every ``struct kbuild_cpu_variable`` of the table at a pointer with a count."""
    (count,) = struct.unpack("<Q", elf.read(_moved(table, 8), 8))
    rows = elf.pointer_at(table).place
    for index in range(count):
        if rows is None or index >= _MOST_VARIABLES:
            raise InputError("the image's table of variables is malformed")
        row = _moved(rows, _VARIABLE_BYTES * index)
        name = _text_at(elf, row)
        size, kind = struct.unpack("<QQ", elf.read(_moved(row, 16), 16))
        if name is None or kind >= len(VARIABLE_KINDS):
            raise InputError(f"row {index} of the image's table of variables is malformed")
        yield Variable(
            name=name, display=display_variable(name), kind=VARIABLE_KINDS[kind], size=size
        )


def _read_row(elf: Elf, rows: Place, index: int) -> Kernel:
    """Read one ``struct kbuild_cpu_kernel`` of ``kbuild/cpu_image.h``."""
    row = _moved(rows, _ROW_BYTES * index)
    name = _text_at(elf, row)
    if name is None:
        raise InputError(f"kernel {index} of the image has no name")
    count, linkage = struct.unpack("<II", elf.read(_moved(row, 24), 8))
    if count > _MOST_PARAMETERS or linkage >= len(LINKAGE_CODES):
        raise InputError(f"the table row of kernel {name} is malformed")
    (max_threads,) = struct.unpack("<Q", elf.read(_moved(row, 56), 8))
    layouts = elf.pointer_at(_moved(row, 16)).place
    types = elf.pointer_at(_moved(row, 32)).place
    names = elf.pointer_at(_moved(row, 40)).place
    params = []
    for number in range(count):
        if layouts is None or types is None or names is None:
            raise InputError(f"the parameters of kernel {name} are outside the image")
        offset, size = struct.unpack("<II", elf.read(_moved(layouts, 8 * number), 8))
        params.append(
            Param(
                index=number,
                offset=offset,
                size=size,
                type=_text_at(elf, _moved(types, 8 * number)),
                name=_text_at(elf, _moved(names, 8 * number)),
            )
        )
    return Kernel(
        name=name,
        display=display_name(name),
        linkage=LINKAGE_CODES[linkage],
        params=tuple(params),
        resources=Resources(max_threads=max_threads or None),
        execution=_text_at(elf, _moved(row, 64)) or None,
    )


def _moved(place: Place, distance: int) -> Place:
    return Place(section=place.section, offset=place.offset + distance)


def _text_at(elf: Elf, slot: Place) -> str | None:
    target = elf.pointer_at(slot).place
    return elf.read_text(target) if target is not None else None
