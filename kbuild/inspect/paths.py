"""From a path to the facts of every artifact in it: files, archives, directories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.formats import archive
from kbuild.formats.elf import ELF_MAGIC
from kbuild.inspect.host import read_host_file

_MAGIC_NUMBERS: Final = (ELF_MAGIC, archive.MAGIC, archive.THIN_MAGIC)


def inspect_path(path: Path) -> tuple[ArtifactFacts, ...]:
    """The facts of every artifact at ``path``, in the order of the file or by name.

    An archive gives one for each object in it, named ``outer!inner``; a directory every
    artifact below it.  Raises InputError for what is no artifact or cannot be read.
    """
    return tuple(facts for file in find_artifacts(path) for facts in _inspect_file(file))


def find_artifacts(path: Path) -> tuple[Path, ...]:
    """``path`` itself, or the artifacts below it when it is a directory, sorted.

    Symbolic links below a directory are left out, because what they lead to is either
    there too or outside.
    """
    if not path.is_dir():
        return (path,)
    found: list[Path] = []
    for directory, folders, names in os.walk(path):
        folders.sort()
        files = (Path(directory, name) for name in sorted(names))
        found.extend(file for file in files if _is_artifact(file))
    if not found:
        raise InputError(f"{path}: no artifact in this directory")
    return tuple(found)


def _is_artifact(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(max(map(len, _MAGIC_NUMBERS))).startswith(_MAGIC_NUMBERS)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _inspect_file(path: Path) -> tuple[ArtifactFacts, ...]:
    # A device or a pipe would never end.
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a file or directory")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    return inspect_content(str(path), content)


def inspect_content(name: str, content: bytes) -> tuple[ArtifactFacts, ...]:
    """The facts of every artifact in ``content``, which ``name`` names in messages."""
    if not content:
        raise InputError(f"{name}: the file is empty")
    if archive.is_archive(content):
        return _inspect_archive(name, content)
    if content.startswith(ELF_MAGIC):
        return (_inspect_host_file(name, content),)
    raise InputError(f"{name}: not an artifact (neither an ELF file nor an archive of them)")


def _inspect_archive(name: str, content: bytes) -> tuple[ArtifactFacts, ...]:
    try:
        members = archive.read_members(content)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    # Archives may hold anything; what is no object has no kernels to look for.
    objects = [member for member in members if member.data.startswith(ELF_MAGIC)]
    if not objects:
        raise InputError(f"{name}: the archive holds no object file")
    return tuple(_inspect_host_file(f"{name}!{m.name}", m.data) for m in objects)


def _inspect_host_file(name: str, content: bytes) -> ArtifactFacts:
    try:
        return read_host_file(name, content)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
