"""The kernel targets in a shared object, read from the file without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import Place
from kbuild.files import read_file
from kbuild.formats import archive, target_note
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.model import TargetRecord

_INSTEAD: Final = (
    "only a shared object can be loaded; in CMake, kbuild_add_smoke_test(<target>) links one "
    "with every kernel of a library target"
)
_NOT_LOADABLE: Final = {
    "relocatable": "an object file",
    "executable": "an executable",
    "other": "not a shared object",
}


class NoKernelsError(InputError):
    """A shared object whose notes list no kernel. It might have kernels of other tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetNote:
    """One kernel target, and the address of its descriptor relative to the load base."""

    record: TargetRecord
    descriptor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedBytes:
    """Bytes of the file that loading places at ``address`` (relative to the load base)."""

    address: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedObject:
    """A shared object with kernels; ``notes`` are the sections that describe ``targets``."""

    path: Path
    targets: tuple[TargetNote, ...]
    notes: tuple[LoadedBytes, ...]


def read_shared_object(path: Path) -> SharedObject:
    """Return the kernel targets in the shared object at ``path``.

    Raises:
        NoKernelsError: No kbuild note in the file lists a kernel.
        InputError: The file does not exist or is not a shared object.  For archives, object
            files, and executables, the message says what to do instead.
    """
    if path.is_dir():
        raise InputError(f"{path} is a directory; {_INSTEAD}")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file; {_INSTEAD}")  # reading a pipe would hang
    content = read_file(path)
    if archive.is_archive(content):
        raise InputError(f"{path} is an archive; {_INSTEAD}")
    if not content.startswith(ELF_MAGIC):
        what = "not an ELF file" if content else "empty"
        raise InputError(f"{path} is {what}; {_INSTEAD}")
    try:
        return _read_elf(path, Elf(content))
    except InputError as error:
        raise type(error)(f"{path}: {error}") from error


def _read_elf(path: Path, elf: Elf) -> SharedObject:
    if elf.type != "shared-object":
        raise InputError(f"the file is {_NOT_LOADABLE[elf.type]}; {_INSTEAD}")
    sections = elf.sections_named(target_note.SECTION)
    targets: list[TargetNote] = []
    for section in sections:
        notes, problems = target_note.read_notes(elf.content(section))
        if problems:
            raise InputError(f"{problems[0].where}: {problems[0].message}")
        for found in notes:
            place = elf.distance_target(Place(section=section.index, offset=found.descriptor))
            if place is None:
                raise InputError(
                    f"the note of target {found.record.target!r} does not refer to a descriptor"
                )
            targets.append(TargetNote(record=found.record, descriptor=elf.address(place)))
    if not any(target.record.kernels for target in targets):
        raise NoKernelsError(
            f"the file has no kernels of kbuild: no {target_note.SECTION} section lists any; "
            "`kbuild inspect` lists kernels of other tools"
        )
    return SharedObject(
        path=path,
        targets=tuple(targets),
        notes=tuple(LoadedBytes(address=s.address, content=elf.content(s)) for s in sections),
    )
