"""What a build folder was configured for, so that a build need not ask CMake again."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import __version__, files, process, records, resources
from kbuild.errors import InputError
from kbuild.project.directory import OUTPUT, BuildFolder
from kbuild.toolchain.find import COMPILER_VARIABLES

_SCHEMA: Final = "kbuild.build-state/1"
# What CMake, `kbuild plan` and compilers look at.
VARIABLES: Final = (
    *("PATH", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"),
    *COMPILER_VARIABLES,
    *(
        "CUDACXX",
        "CUDA_PATH",
        "CUDAToolkit_ROOT",
        "HIPCXX",
        "HIP_PLATFORM",
        "ROCM_PATH",
        "HIP_PATH",
    ),
)
_PREFIXES: Final = ("CMAKE_", "KBUILD_")


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequest:
    """What a call asks to configure, by whom and where."""

    manifest: Path
    folder: Path
    profile: str
    device_jobs: int | None
    version: str
    python: Path
    package: Path
    environment: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMark:
    """A file as it was; size and times, in ns since the epoch, are -1 of one that was not there.

    ``changed`` is the time that nobody can set back.
    """

    path: Path
    size: int
    modified: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePattern:
    """A pattern of a manifest, relative to it, and the files it had."""

    pattern: str
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetOutput:
    """A target and its artifact."""

    target: str
    artifact: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildState:
    """What was configured, and of what."""

    request: BuildRequest
    files: tuple[FileMark, ...]
    patterns: tuple[SourcePattern, ...]
    outputs: tuple[TargetOutput, ...]
    ninja: Path


def make_request(
    manifest: Path, folder: BuildFolder, profile: str, device_jobs: int | None
) -> BuildRequest:
    """The request of this process."""
    variables = process.select_environment(VARIABLES, _PREFIXES)
    return BuildRequest(
        manifest=manifest,
        folder=folder.root,
        profile=profile,
        device_jobs=device_jobs,
        version=f"{__version__} {resources.find_installation_time()}",
        python=Path(sys.prefix),
        package=resources.cmake_directory(),
        environment=tuple(f"{name}={value}" for name, value in sorted(variables.items())),
    )


def read_state(folder: BuildFolder) -> BuildState | None:
    """What the folder was configured for; None where it is not, or by another kbuild."""
    if not folder.is_configured():
        return None
    try:
        content = files.read_file(folder.state)
        return records.load(_SCHEMA, BuildState, content, str(folder.state))
    except InputError:
        return None


def write_state(folder: BuildFolder, state: BuildState) -> None:
    """Leave it for the next build: the folder is configured now."""
    files.write_file(folder.state, records.dump(_SCHEMA, state))


def is_current(state: BuildState, request: BuildRequest) -> bool:
    """Whether configuring again would come to the same."""
    root = request.manifest.parent
    return (
        state.request == request
        and state.files == mark_files(mark.path for mark in state.files)
        and all(match_sources(root, p.pattern) == p.files for p in state.patterns)
    )


def mark_files(paths: Iterable[Path]) -> tuple[FileMark, ...]:
    """The files as they are now."""
    return tuple(map(_mark_file, paths))


def _mark_file(path: Path) -> FileMark:
    try:
        status = path.stat()
    except OSError:
        return FileMark(path=path, size=-1, modified=-1, changed=-1)
    return FileMark(
        path=path,
        size=status.st_size,
        modified=status.st_mtime_ns,
        changed=status.st_ctime_ns,
    )


def match_sources(root: Path, pattern: str) -> tuple[Path, ...]:
    """The files that ``pattern`` names, relative to ``root`` or absolute, by name.

    What builds made is none.
    """
    if Path(pattern).is_absolute():
        return (Path(pattern),) if Path(pattern).is_file() else ()
    made = root / OUTPUT
    found = (path for path in root.glob(pattern) if made not in path.parents)
    return tuple(sorted(path for path in found if path.is_file()))
