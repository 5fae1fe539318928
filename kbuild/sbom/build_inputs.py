"""What a build directory of kbuild says about the sources of an artifact."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends import find_builder
from kbuild.backends.interface.toolchain import HeaderLibrary
from kbuild.errors import InputError
from kbuild.files import read_file, sha256
from kbuild.model import TargetRecord
from kbuild.records import OLDER_RECORD_SCHEMAS, RECORD_SCHEMA, load
from kbuild.stages.depfiles import read_dependencies
from kbuild.values import dataclass

_LICENSE: Final = re.compile(rb"SPDX-License-Identifier:\s*([^\r\n*]+)")
_LICENSE_BYTES: Final = 4096
_RECORDS: Final = "*.record.json"
_EDGES: Final = "*.edge"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file from which device code was compiled.

    Attributes:
        name: Its path from the directory of the target's sources on, without ``..``.
        sha256: Its digest.
        license: Its SPDX expression; None if it has none.
        is_source: Whether it is a source, and not a header.
    """

    name: str
    sha256: str
    license: str | None
    is_source: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderPackage:
    """A library of headers. ``is_included`` is None if depfiles do not list its headers."""

    name: str
    version: str
    license: str
    is_included: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildInputs:
    """The inputs of the device code of one target."""

    target: str
    files: tuple[SourceFile, ...]
    packages: tuple[HeaderPackage, ...]


def read_build(directories: tuple[Path, ...], record: TargetRecord) -> BuildInputs:
    """Return the inputs of a target.

    Args:
        directories: Build directories, or directories that contain them.
        record: The record in the note of the artifact.

    Raises:
        InputError: No directory has a build of this artifact, or a source changed since then.
    """
    for path in (path for directory in directories for path in sorted(directory.rglob(_RECORDS))):
        content = read_file(path)
        if load(RECORD_SCHEMA, TargetRecord, content, str(path), OLDER_RECORD_SCHEMAS) == record:
            return _read_target(path.parent, record)
    raise InputError(
        f"{', '.join(map(str, directories))}: no build of target {record.target} with the images "
        "of this artifact; pass the directory of the build that made it"
    )


def _read_target(directory: Path, record: TargetRecord) -> BuildInputs:
    edges = [json.loads(read_file(path)) for path in sorted(directory.glob(_EDGES))]
    compiled = [edge for edge in edges if "source" in edge]
    tools = {Path(edge["toolchain"]["compiler"]).resolve().parent.parent for edge in compiled}
    depfiles = [read_dependencies(path) for path in sorted(directory.glob("*.d"))]
    files: dict[Path, SourceFile] = {}
    listed: set[Path] = set()
    for edge in compiled:
        source = Path(edge["source"])
        read = [path for paths in depfiles if source in paths for path in paths]
        if not read:
            raise InputError(f"{directory}: no depfile for {source}; build the target again")
        for path in dict.fromkeys(read):
            listed.add(path)
            if path not in files and not any(path.resolve().is_relative_to(t) for t in tools):
                stamp = Path(f"{edge['output']}.json")
                name = _name(path, source, edge["display_source"])
                files[path] = _describe(path, name, stamp, is_source=path == source)
    libraries = find_builder(record.backend).TRAITS.header_libraries
    return BuildInputs(
        target=record.target,
        files=tuple(files[path] for path in sorted(files)),
        packages=tuple(
            package for library in libraries for package in _find_package(library, listed, tools)
        ),
    )


def _find_package(
    library: HeaderLibrary, listed: set[Path], tools: set[Path]
) -> Iterator[HeaderPackage]:
    """Yield the library that sources include, or else the one that the compiler can find."""
    own = [path for path in sorted(listed) if path.as_posix().endswith(f"/{library.header}")]
    bundled = [t / place / library.header for t in sorted(tools) for place in library.directories]
    for path in (*own, *bundled):
        version = _read_version(path, library.macro)
        if version:
            yield HeaderPackage(
                name=library.name,
                version=version,
                license=library.license,
                is_included=True if path in own else None,
            )
            return


def _name(path: Path, source: Path, display: str) -> str:
    """Return a name without the directory of the checkout, which a bill must not contain."""
    root = Path(str(source).removesuffix(display))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _describe(path: Path, name: str, stamp: Path, *, is_source: bool) -> SourceFile:
    content = read_file(path)
    if path.stat().st_mtime_ns > stamp.stat().st_mtime_ns:
        raise InputError(f"{path}: the file changed after the build; build the target again")
    match = _LICENSE.search(content[:_LICENSE_BYTES])
    return SourceFile(
        name=name,
        sha256=sha256(content),
        license=match[1].decode("utf-8", "replace").strip() if match else None,
        is_source=is_source,
    )


def _read_version(path: Path, macro: str) -> str | None:
    """Return the version that a header defines as MAJOR * 1000000 + MINOR * 1000 + PATCH."""
    if not path.is_file():
        return None
    match = re.search(rf"#\s*define\s+{macro}\s+(\d+)", read_file(path).decode(errors="replace"))
    if not match:
        return None
    number = int(match[1])
    return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
