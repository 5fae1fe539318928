"""Programs that ``kbuild run`` builds: each one is a manifest with one target in the cache."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import files, records
from kbuild.errors import ConfigurationError
from kbuild.project.directory import BuildDirectory, remove_unused_build
from kbuild.project.generate import BuildSettings
from kbuild.toolchain.caches import find_cache

TARGET: Final = "program"
# Compilers keep assert() when they optimize, but CMake's release builds remove it.
_KEEP_ASSERTIONS: Final = "-UNDEBUG"
MOST_PROGRAMS: Final = 50
# A program that was just built is not running yet, and nothing else tells that it is used.
_SHORTEST_UNUSED: Final = 3600  # seconds
_SCHEMA: Final = "kbuild.program/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSpec:
    """The sources and options of a program. Paths are absolute.

    Without ``architectures``, the program is for the default architectures of the backend. Without
    ``optimization``, the program is optimized unless ``debug`` is true.
    """

    sources: tuple[Path, ...]
    backend: str
    architectures: tuple[str, ...] = ()
    standard: int = 17
    include_directories: tuple[Path, ...] = ()
    definitions: tuple[str, ...] = ()
    link_directories: tuple[Path, ...] = ()
    link_libraries: tuple[str, ...] = ()
    host_options: tuple[str, ...] = ()
    device_options: tuple[str, ...] = ()
    rdc: bool = False
    optimization: str | None = None
    debug: bool = False

    @property
    def settings(self) -> BuildSettings:
        """The settings with which the program is built."""
        return BuildSettings(
            profile="debug" if self.debug else "release", optimization=self.optimization
        )

    @property
    def digest(self) -> str:
        """The name of the program's directory in the cache."""
        return files.sha256(records.dump(_SCHEMA, self))[:16]


def locate_program(spec: ProgramSpec) -> BuildDirectory:
    """Return the directory in the cache in which the program is built."""
    return BuildDirectory(root=find_cache("run") / spec.digest)


def remove_old_programs(cache: Path) -> None:
    """Remove the programs that were not run for the longest time, except for the last ones."""
    used: list[tuple[float, BuildDirectory]] = []
    for manifest in cache.glob("*.toml"):
        directory = BuildDirectory(root=manifest.with_suffix(""))
        with contextlib.suppress(OSError):  # another process removed it
            used.append((directory.lock.stat().st_mtime, directory))
    used.sort(key=lambda entry: entry[0], reverse=True)
    for _, directory in used[MOST_PROGRAMS:]:
        if remove_unused_build(directory, time.time() - _SHORTEST_UNUSED):
            _name_manifest(directory).unlink(missing_ok=True)


def _name_manifest(directory: BuildDirectory) -> Path:
    return directory.root.with_name(f"{directory.root.name}.toml")


def write_manifest(spec: ProgramSpec, directory: BuildDirectory) -> Path:
    """Write the manifest of a program beside its build, and return its path."""
    lists: dict[str, Iterable[object]] = {
        "sources": spec.sources,
        "architectures": spec.architectures,
        "include_directories": spec.include_directories,
        "definitions": spec.definitions,
        "compile_options": (_KEEP_ASSERTIONS, *spec.device_options),
        "host_options": (_KEEP_ASSERTIONS, *spec.host_options),
        "link_directories": spec.link_directories,
        "link_libraries": spec.link_libraries,
    }
    lines = (
        f"[target.{TARGET}]",
        'kind = "executable"',
        f"backend = {_quote(spec.backend)}",
        f"device_standard = {spec.standard}",
        f"rdc = {json.dumps(spec.rdc)}",
        "verify = false",
        *(f"{key} = [{', '.join(map(_quote, values))}]" for key, values in lists.items()),
    )
    path = _name_manifest(directory)
    files.write_if_changed(path, "\n".join((*lines, "")).encode())
    return path


def copy_program(program: Path, target: Path) -> Path:
    """Copy a program with its permissions, also over one that is running. Return the copy's path.

    Raises:
        ConfigurationError: The copy cannot be written.
    """
    try:
        files.write_parts(target, (program.read_bytes(),), mode=program.stat().st_mode)
    except OSError as error:
        raise ConfigurationError(f"{target}: {error.strerror}") from error
    return target


def _quote(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)  # also a basic string of TOML
