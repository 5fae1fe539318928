"""From a path to the facts of every artifact in it: files, archives, wheels, directories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.formats import archive, nv_fatbin, offload_binary, wheel
from kbuild.formats.elf import ELF_MAGIC
from kbuild.formats.ptx import looks_like_ptx
from kbuild.inspect.device import read_device_file
from kbuild.inspect.host import read_host_file
from kbuild.model import Problem

_MAGIC_NUMBERS: Final = (
    *(ELF_MAGIC, archive.MAGIC, archive.THIN_MAGIC),
    *(nv_fatbin.MAGIC, offload_binary.MAGIC, wheel.MAGIC),
)
_WHEEL_SUFFIX: Final = ".whl"
# Wheels in wheels exist; deeper nesting is somebody's joke.
_DEEPEST: Final = 3


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
        found.extend(file for file in files if _is_artifact_file(file))
    if not found:
        raise InputError(f"{path}: no artifact in this directory")
    return tuple(found)


def _is_artifact_file(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            front = stream.read(wheel.FRONT_BYTES)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    if wheel.is_wheel(front):
        return path.suffix == _WHEEL_SUFFIX  # other zip archives are documents and the like
    return _is_artifact(front)


def _is_artifact(front: bytes) -> bool:
    """Whether a file that starts so is for us to read."""
    return front.startswith(_MAGIC_NUMBERS) or looks_like_ptx(front)


def _inspect_file(path: Path) -> tuple[ArtifactFacts, ...]:
    # A device or a pipe would never end.
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a file or directory")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    return inspect_content(str(path), content)


def inspect_content(name: str, content: bytes, *, depth: int = 0) -> tuple[ArtifactFacts, ...]:
    """The facts of every artifact in ``content``, which ``name`` names in messages."""
    if not content:
        raise InputError(f"{name}: the file is empty")
    if archive.is_archive(content):
        return _inspect_archive(name, content)
    if wheel.is_wheel(content):
        return _inspect_wheel(name, content, depth)
    device_file = read_device_file(name, content)
    if device_file is not None:
        return (device_file,)
    if content.startswith(ELF_MAGIC):
        return (_inspect_host_file(name, content),)
    raise InputError(
        f"{name}: not an artifact (no ELF file, archive, wheel, fat binary or device image)"
    )


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


def _inspect_wheel(name: str, content: bytes, depth: int) -> tuple[ArtifactFacts, ...]:
    if depth >= _DEEPEST:
        raise InputError(f"{name}: archives nested more than {_DEEPEST} deep are not read")
    found: list[ArtifactFacts] = []
    try:
        for member in wheel.iterate_members(content, _is_artifact):
            found.extend(_inspect_member(f"{name}!{member.name}", member, depth))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    if not found:
        raise InputError(f"{name}: no artifact in this archive")
    return tuple(found)


def _inspect_member(name: str, member: wheel.WheelMember, depth: int) -> tuple[ArtifactFacts, ...]:
    """What a member holds; one that cannot be read is an artifact with a problem."""
    problem = member.problem
    if problem is None:
        try:
            return inspect_content(name, member.data, depth=depth + 1)
        except InputError as error:
            problem = str(error).removeprefix(f"{name}: ")
    unreadable = Problem(where=member.name, message=problem)
    return (
        ArtifactFacts(path=name, kind="other", machine=None, sha256="", problems=(unreadable,)),
    )


def _inspect_host_file(name: str, content: bytes) -> ArtifactFacts:
    try:
        return read_host_file(name, content)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
