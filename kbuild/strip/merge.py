"""Join the device code of artifacts that were built, or split, for different architectures."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError, InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.dist_info import find_record
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.wheel import is_wheel
from kbuild.inspect.file_content import open_content
from kbuild.strip.joined_file import join_files
from kbuild.strip.model import MergedFile, MergeReport
from kbuild.strip.rewriting import rewrite_artifact
from kbuild.strip.wheel import open_member

_FEWEST: Final = 2


def merge_artifacts(paths: Sequence[Path], output: Path) -> MergeReport:
    """Write an artifact with the device code of several.

    The artifacts must be the same except for their device code: results of `split_artifact`, or
    builds of the same sources with the same host compiler for different architectures. The first
    one provides everything else.

    Args:
        paths: Shared objects, or wheels.
        output: The file to write, or a directory, in which the first file keeps its name.

    Raises:
        ConfigurationError: There are fewer than two artifacts.
        InputError: An artifact is of another kind or damaged, the artifacts differ in something
            else than device code, or two have different images for one architecture.
        OSError: The output cannot be written.
    """
    if len(paths) < _FEWEST:
        raise ConfigurationError("expected at least two artifacts to merge")
    first, *others = paths
    found: list[MergedFile] = []

    def change(name: str, content: Buffer) -> Iterable[Buffer] | None:
        with ExitStack() as stack:
            peers = [(str(path), stack.enter_context(_open(path, name, first))) for path in others]
            joined = join_files(name, content, peers)
        if joined is None:
            return None
        found.append(joined.file)
        return joined.parts if joined.file.containers else None

    for path in others:
        _compare_lists(first, path)

    def check() -> None:
        if not found:
            raise InputError(f"{first}: not a shared object or wheel with device code")

    rewritten = rewrite_artifact(first, output, change, check=check)
    return MergeReport(
        paths=tuple(map(str, paths)),
        output=str(rewritten.output),
        sizes=tuple(path.stat().st_size for path in paths),
        output_size=rewritten.output_size,
        files=tuple(found),
        signatures=rewritten.signatures,
    )


@contextmanager
def _open(path: Path, name: str, first: Path) -> Iterator[Buffer]:
    """Yield the content of the file of another artifact that corresponds to one of the first."""
    member = name.partition(f"{first}!")[2]
    if not member:
        yield open_content(path)
        return
    with zipfile.ZipFile(path) as archive, open_member(archive, archive.getinfo(member)) as content:
        yield content


def _compare_lists(first: Path, other: Path) -> None:
    """Check that two wheels have the same files, apart from linked files."""
    is_first_wheel, is_other_wheel = (is_wheel(_read_start(path)) for path in (first, other))
    if is_first_wheel != is_other_wheel:
        raise InputError(f"{first} and {other} are not artifacts of the same kind")
    if not is_first_wheel:
        return
    try:
        old, new = _list_members(first), _list_members(other)
    except zipfile.BadZipFile as error:
        raise InputError(f"not a valid wheel: {error}") from error
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            what = "has other content" if name in old and name in new else "is missing"
            raise InputError(f"{first} and {other} differ in more than device code: {name} {what}")


def _read_start(path: Path) -> bytes:
    return bytes(open_content(path)[: len(ELF_MAGIC)])


def _list_members(path: Path) -> dict[str, tuple[int, int] | None]:
    """Return the size and checksum of the files of a wheel; None for linked files."""
    with zipfile.ZipFile(path) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        own = find_record([info.filename for info in infos])
        found: dict[str, tuple[int, int] | None] = {}
        for info in infos:
            if info.filename == own or info.filename.startswith(f"{own}."):
                continue
            with archive.open(info) as stream:
                is_linked = stream.read(len(ELF_MAGIC)) == ELF_MAGIC
            found[info.filename] = None if is_linked else (info.file_size, info.CRC)
        return found
