"""Read the module descriptor of a file: ``struct kbuild_module`` of ``kbuild/module.h``."""

from __future__ import annotations

import struct
from typing import Final

from kbuild.backends import find_backend
from kbuild.errors import InputError
from kbuild.facts import Place, Pointer
from kbuild.formats.elf.file import Elf
from kbuild.model import TargetRecord
from kbuild.values import dataclass

_ABI: Final = 1
_SIZE: Final = 80
# The offsets of the table pointers in struct kbuild_module. A 64-bit count follows each.
_KERNELS: Final = 40
_CONTAINERS: Final = 56
_VARIABLES: Final = 80
_KERNEL_SIZE: Final = 32
_CONTAINER: Final = 28  # of a kernel
_CONTAINER_SIZE: Final = 24
_VARIABLE_SIZE: Final = 32
_VARIABLE_KIND: Final = 28
_INDIRECT: Final = 0x80000000  # of both kernels and variables
# Descriptors of older versions have no table of variables.
_SIZE_WITH_VARIABLES: Final = 96


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """A range of ``size`` bytes that starts at ``place``.

    ``row`` is the place of the row of the descriptor that says so.
    """

    place: Place
    size: int
    row: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """The places to which the tables of a descriptor point, in the order of the record's tables."""

    handles: tuple[Pointer, ...]
    containers: tuple[Extent, ...]
    shadows: tuple[Pointer, ...]


def read_descriptor(elf: Elf, place: Place, record: TargetRecord) -> Descriptor:
    """Follow the tables of the descriptor at ``place``.

    Raises:
        InputError: The descriptor has another ABI, disagrees with the record, or points to
            something that is not in the file.
    """
    abi, size = struct.unpack("<II", elf.read(place, 8))
    if abi != _ABI or size < _SIZE:
        raise InputError(
            f"it has ABI {abi} and {size} bytes; expected ABI {_ABI} and {_SIZE} bytes"
        )
    kernels = _table(elf, place, _KERNELS, "kernels", len(record.kernels))
    containers = _table(elf, place, _CONTAINERS, "containers", len(record.containers))
    return Descriptor(
        handles=tuple(
            _read_indirect(elf, _advance(kernels, _KERNEL_SIZE * index), _CONTAINER)
            for index in range(len(record.kernels))
        ),
        containers=tuple(
            _read_container(elf, record.backend, index, containers)
            for index in range(len(record.containers))
        ),
        shadows=_read_shadows(elf, place, record) if size >= _SIZE_WITH_VARIABLES else (),
    )


def _read_shadows(elf: Elf, place: Place, record: TargetRecord) -> tuple[Pointer, ...]:
    variables = _table(elf, place, _VARIABLES, "variables", len(record.variables))
    rows = (_advance(variables, _VARIABLE_SIZE * index) for index in range(len(record.variables)))
    return tuple(_read_indirect(elf, row, _VARIABLE_KIND) for row in rows)


def _read_indirect(elf: Elf, row: Place, flags: int) -> Pointer:
    """Return the pointer to a handle or shadow, which host texts can keep in a slot.

    ``flags`` is the offset of the member that tells so.
    """
    pointer = elf.pointer_at(row)
    (value,) = struct.unpack("<I", elf.read(_advance(row, flags), 4))
    if not value & _INDIRECT or pointer.place is None:
        return pointer
    return elf.pointer_at(pointer.place)


def _table(elf: Elf, descriptor: Place, offset: int, what: str, expected: int) -> Place:
    target = elf.pointer_at(_advance(descriptor, offset)).place
    (count,) = struct.unpack("<Q", elf.read(_advance(descriptor, offset + 8), 8))
    if count != expected:
        raise InputError(f"it has {count} {what}, but the record has {expected}")
    if target is None and count:
        raise InputError(f"its table of {what} is not in the file")
    return target or descriptor


def _read_container(elf: Elf, backend: str, index: int, table: Place) -> Extent:
    row = _advance(table, _CONTAINER_SIZE * index)
    place = elf.pointer_at(row).place
    (size,) = struct.unpack("<Q", elf.read(_advance(row, 8), 8))
    if place is None or place.section >= len(elf.sections):
        raise InputError(f"its container {index} is not in the file")
    section = elf.sections[place.section]
    reader = find_backend(backend).read
    is_expected = reader is None or reader.find_role(section.name)
    is_inside = place.offset in range(section.size - size + 1)
    if not is_expected or not is_inside:
        raise InputError(
            f"its container {index} ({size} bytes at {section.name}+{place.offset:#x}) "
            "is not inside a section of device images"
        )
    return Extent(place=place, size=size, row=row)


def _advance(place: Place, distance: int) -> Place:
    return Place(section=place.section, offset=place.offset + distance)
