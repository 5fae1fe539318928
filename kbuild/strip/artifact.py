"""Remove device images from a linked file or a wheel."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild.backends import name_images
from kbuild.errors import ConfigurationError, InputError, suggest
from kbuild.files import read_file, write_parts, write_sparse
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.wheel import is_wheel
from kbuild.strip.linked_file import strip_file
from kbuild.strip.model import StrippedFile, StripReport
from kbuild.strip.wheel import rewrite_wheel

_BLOCK: Final = 512


def strip_artifact(path: Path, output: Path, *, keep: Iterable[str] | None = None) -> StripReport:
    """Write an artifact without the device code that is not needed.

    Device code that a device link already made into machine code of the same architecture
    always goes.

    Args:
        path: A shared object, an executable, or a wheel.
        output: The file to write, or a directory, in which the file keeps its name. It can be
            ``path``.
        keep: The architectures to keep, for example ``sm_90``, ``compute_90``, or ``90``, which
            stands for both. None keeps all.

    Raises:
        ConfigurationError: The artifact has no image for an architecture to keep.
        InputError: The artifact is of another kind, is damaged, or has no device code.
        OSError: The output cannot be written.
    """
    content = read_file(path)
    names = None if keep is None else tuple(keep)
    kept = None if names is None else frozenset(name_images(names))
    target = output / path.name if output.is_dir() else output
    mode = path.stat().st_mode & 0o777
    if is_wheel(content):
        files, signatures, changed = _strip_wheel(path, content, kept)
        _check_kept(path, files, names or ())
        write_parts(target, (changed,), mode=mode)
        sizes = len(content), len(changed)
    else:
        signatures = ()
        stripped = strip_file(str(path), content, kept) if _is_elf(content) else None
        if stripped is None:
            raise InputError(f"{path}: not a shared object, executable, or wheel with device code")
        files = [stripped[1]]
        _check_kept(path, files, names or ())
        before = path.stat().st_blocks * _BLOCK
        write_sparse(target, stripped[0], mode=mode)
        sizes = before, target.stat().st_blocks * _BLOCK
    return StripReport(
        path=str(path),
        output=str(target),
        size=sizes[0],
        output_size=sizes[1],
        files=tuple(files),
        signatures=signatures,
    )


def _is_elf(content: bytes) -> bool:
    return content.startswith(ELF_MAGIC)


def _strip_wheel(
    path: Path, content: bytes, keep: frozenset[str] | None
) -> tuple[list[StrippedFile], tuple[str, ...], bytes]:
    files: list[StrippedFile] = []

    def change(name: str, member: bytes) -> bytes | None:
        stripped = strip_file(f"{path}!{name}", member, keep) if _is_elf(member) else None
        if stripped is None:
            return None
        files.append(stripped[1])
        return stripped[0] if stripped[1].removed else None

    target = io.BytesIO()
    try:
        signatures = rewrite_wheel(io.BytesIO(content), target, change)
    except InputError as error:
        message = str(error)
        raise InputError(
            message if message.startswith(f"{path}!") else f"{path}: {message}"
        ) from error
    if not files:
        raise InputError(f"{path}: no shared object or executable in the wheel has device code")
    return files, signatures, target.getvalue()


def _check_kept(path: Path, files: Iterable[StrippedFile], names: Iterable[str]) -> None:
    """Check that the artifact has an image for each name, which can stand for several images."""
    known = sorted(set(_list_known(files)))
    for name in names:
        if not set(name_images((name,))).intersection(known):
            raise ConfigurationError(
                f"{path}: no image for {name!r} to keep{suggest(name, known)}; "
                f"the images are for {', '.join(known)}"
            )


def _list_known(files: Iterable[StrippedFile]) -> Iterator[str]:
    for file in files:
        yield from file.kept
        yield from (images.arch for images in file.removed)
