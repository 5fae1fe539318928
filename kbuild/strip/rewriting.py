"""Write a linked file, or the linked files of a wheel, again."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from kbuild.errors import InputError
from kbuild.files import open_replacement
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.wheel import is_wheel
from kbuild.inspect.file_content import open_content
from kbuild.strip.wheel import open_member, rewrite_wheel
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RewrittenArtifact:
    """The artifact that was written. The sizes are in bytes."""

    output: Path
    size: int
    output_size: int
    signatures: tuple[str, ...]


def rewrite_artifact(
    path: Path,
    output: Path,
    change: Callable[[str, Buffer], Iterable[Buffer] | None],
    *,
    check: Callable[[], None],
) -> RewrittenArtifact:
    """Write an artifact with other content for its linked files.

    Args:
        path: A linked file or a wheel.
        output: The file to write, or a directory, in which the file keeps its name. It can be
            ``path``.
        change: A function that receives the name and the content of each linked file, and
            returns the parts of the new content; None if it stays the same.
        check: A function that is called before the new artifact takes its place, and can raise
            an error.

    Raises:
        InputError: The artifact cannot be read.
        OSError: The output cannot be written.
    """
    content = open_content(path)
    target = output / path.name if output.is_dir() else output
    signatures: tuple[str, ...] = ()
    with open_replacement(target, mode=path.stat().st_mode & 0o777) as stream:
        if is_wheel(bytes(content[:4])):
            signatures = _rewrite_wheel(path, stream, change)
        else:
            parts = change(str(path), content) if _is_elf(content) else None
            stream.writelines((content,) if parts is None else parts)
        check()
    return RewrittenArtifact(
        output=target,
        size=len(content),
        output_size=target.stat().st_size,
        signatures=signatures,
    )


def visit_artifact(path: Path, visit: Callable[[str, Buffer], None]) -> None:
    """Call a function with the name and the content of each linked file of an artifact."""
    content = open_content(path)
    if not is_wheel(bytes(content[:4])):
        if _is_elf(content):
            visit(str(path), content)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    with open_member(archive, info) as member:
                        if _is_elf(member):
                            visit(f"{path}!{info.filename}", member)
    except zipfile.BadZipFile as error:
        raise InputError(f"{path}: not a valid wheel: {error}") from error


def _is_elf(content: Buffer) -> bool:
    return bytes(content[: len(ELF_MAGIC)]) == ELF_MAGIC


def _rewrite_wheel(
    path: Path, stream: BinaryIO, change: Callable[[str, Buffer], Iterable[Buffer] | None]
) -> tuple[str, ...]:
    def change_member(name: str, content: Buffer) -> Iterable[Buffer] | None:
        return change(f"{path}!{name}", content) if _is_elf(content) else None

    try:
        with path.open("rb") as source:
            return rewrite_wheel(source, stream, change_member)
    except InputError as error:
        message = str(error)
        raise InputError(
            message if message.startswith(f"{path}!") else f"{path}: {message}"
        ) from error
