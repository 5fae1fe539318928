"""Remove device images from a linked file or a wheel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kbuild.backends import list_usable, name_images
from kbuild.errors import ConfigurationError, InputError, suggest
from kbuild.formats.buffer import Buffer
from kbuild.strip.linked_file import strip_file
from kbuild.strip.model import SplitArtifact, SplitReport, StrippedFile, StripReport
from kbuild.strip.rewriting import rewrite_artifact, visit_artifact
from kbuild.strip.selection import Selection, select_all, select_for_device, select_names


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
    names = None if keep is None else tuple(keep)
    select = select_all if names is None else select_names(name_images(names))
    return _strip(path, output, select, names or ())


def split_artifact(
    path: Path, output: Path, *, devices: Iterable[str] = (), keep: Iterable[str] = ()
) -> SplitReport:
    """Write an artifact for each architecture of devices, with only the code that they run.

    Args:
        path: A shared object, an executable, or a wheel.
        output: A directory. Each artifact has its old name in a directory that is named after
            the architecture.
        devices: The architectures of the devices; by default, those that have machine code.
        keep: Architectures whose images stay in all artifacts, for example ``compute_90``.

    Raises:
        ConfigurationError: A name is not the architecture of a device, or the artifact has no
            image for an architecture to keep.
        InputError: The artifact is of another kind, is damaged, or has no device code.
        OSError: The output cannot be written.
    """
    requested = tuple(dict.fromkeys(devices)) or _list_devices(path)
    for device in requested:
        if list_usable(device, ()) is None:
            raise ConfigurationError(
                f"{device!r} is not the architecture of a device; expected a name such as sm_90"
            )
    also = tuple(keep)
    artifacts = []
    for device in requested:
        select = select_for_device(device, name_images(also))
        report = _strip(path, output / device / path.name, select, also)
        artifacts.append(SplitArtifact(device=device, result=report))
    return SplitReport(path=str(path), artifacts=tuple(artifacts))


def _list_devices(path: Path) -> tuple[str, ...]:
    """Return the architectures for which an artifact has machine code."""
    found: list[StrippedFile] = []
    visit_artifact(path, lambda name, content: found.extend(_describe(name, content)))
    known = list(dict.fromkeys(arch for file in found for arch in file.kept))
    return tuple(arch for arch in known if list_usable(arch, known))


def _describe(name: str, content: Buffer) -> Iterator[StrippedFile]:
    stripped = strip_file(name, content, select_all)
    if stripped:
        yield stripped.file


def _strip(path: Path, output: Path, select: Selection, names: Iterable[str]) -> StripReport:
    found: list[StrippedFile] = []

    def change(name: str, content: Buffer) -> Iterable[Buffer] | None:
        stripped = strip_file(name, content, select)
        if stripped is None:
            return None
        found.append(stripped.file)
        return stripped.parts if stripped.file.removed else None

    rewritten = rewrite_artifact(path, output, change, check=lambda: _check(path, found, names))
    return StripReport(
        path=str(path),
        output=str(rewritten.output),
        size=rewritten.size,
        output_size=rewritten.output_size,
        files=tuple(found),
        signatures=rewritten.signatures,
    )


def _check(path: Path, files: Iterable[StrippedFile], names: Iterable[str]) -> None:
    """Check that there is device code, and an image for each name, which can stand for several."""
    if not files:
        raise InputError(f"{path}: not a shared object, executable, or wheel with device code")
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
