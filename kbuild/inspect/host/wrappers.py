"""Read fat binary wrappers: the records through which host code registers containers."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.backends import list_host_conventions
from kbuild.backends.interface.host import WrapperConvention
from kbuild.errors import InputError
from kbuild.facts import ContainerFacts, Place, WrapperFacts
from kbuild.formats.buffer import skip_zeros
from kbuild.formats.elf.file import Elf

# magic, version, container, and a word that has no meaning in a file
_RECORD: Final = struct.Struct("<IIQQ")
_POINTER: Final = 8


def read_wrappers(elf: Elf, containers: Sequence[ContainerFacts]) -> tuple[WrapperFacts, ...]:
    """Return the records of all wrapper sections, in file order."""
    numbers = {container.place: number for number, container in enumerate(containers)}
    found: list[WrapperFacts] = []
    for section in elf.sections:
        for backend, conventions in list_host_conventions():
            wrapper = conventions.wrapper
            if wrapper is not None and wrapper.section == section.name:
                content = elf.view(section)
                for offset in _find_records(content, wrapper):
                    place = Place(section=section.index, offset=offset)
                    record = bytes(content[offset : offset + _RECORD.size])
                    found.append(_read(elf, backend, wrapper, place, record, numbers))
    return tuple(found)


def _find_records(content: memoryview, wrapper: WrapperConvention) -> Iterator[int]:
    """Yield the offset of each record; zeros between the records of two objects are skipped.

    Bytes without the magic number count as one damaged record, up to the next magic number.
    """
    known = (magic for magic in (wrapper.magic, wrapper.split_magic) if magic is not None)
    magic = re.compile(b"|".join(re.escape(number.to_bytes(4, "little")) for number in known))
    position = skip_zeros(content, 0)
    while position < len(content):
        yield position
        if magic.match(content, position):
            # The last word of a record can be zero, so skip zeros only after the whole record.
            position = skip_zeros(content, position + _RECORD.size)
        else:
            following = magic.search(content, position)
            position = following.start() if following else len(content)


def _read(  # noqa: PLR0913, PLR0917 - a record and its context
    elf: Elf,
    backend: str,
    wrapper: WrapperConvention,
    place: Place,
    record: bytes,
    numbers: dict[Place, int],
) -> WrapperFacts:
    version, container, awaits = None, None, None
    if len(record) < _RECORD.size:
        problem: str | None = "the fat binary wrapper is truncated"
    else:
        magic, version, *_ = _RECORD.unpack(record)
        if magic == wrapper.split_magic:
            awaits, problem = wrapper.split_section, None
        elif magic != wrapper.magic:
            version, problem = None, f"not a fat binary wrapper (magic number {magic:#x})"
        else:
            container, awaits, problem = _resolve(elf, place, numbers)
        if version is not None and version not in wrapper.versions:
            problem = f"unknown fat binary wrapper version {version}"
    return WrapperFacts(
        backend=backend,
        place=place,
        version=version,
        is_device_linked=version in wrapper.device_linked,
        container=container,
        awaits=awaits,
        problem=problem,
    )


def _resolve(
    elf: Elf, record: Place, numbers: dict[Place, int]
) -> tuple[int | None, str | None, str | None]:
    """Follow the record's pointer to a container.

    Returns:
        The number of the container, the symbol if another file defines the container, and the
        problem if the pointer is wrong. Two of the three are None.
    """
    slot = Place(section=record.section, offset=record.offset + _POINTER)
    try:
        pointer = elf.pointer_at(slot)
    except InputError as error:
        return None, None, str(error)
    target = pointer.place
    if target is None:
        problem = "its pointer to a container is null or points outside of the file"
        return None, pointer.symbol, None if pointer.symbol else problem
    if target in numbers:
        return numbers[target], None, None
    sections = elf.sections
    name = sections[target.section].name if target.section < len(sections) else "?"
    return (
        None,
        None,
        f"it points to {name}+{target.offset:#x}, not the start of a container",
    )
