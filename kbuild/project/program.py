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
from kbuild.project.directory import BuildDirectory, remove_unused_build
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

    ``architecture`` is that of the device; None if there is no device.
    """

    sources: tuple[Path, ...]
    backend: str
    architecture: str | None
    standard: int = 17
    include_directories: tuple[Path, ...] = ()
    definitions: tuple[str, ...] = ()
    link_directories: tuple[Path, ...] = ()
    link_libraries: tuple[str, ...] = ()
    host_options: tuple[str, ...] = ()
    device_options: tuple[str, ...] = ()
    rdc: bool = False

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
        "architectures": (spec.architecture,) if spec.architecture else (),
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


def _quote(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)  # also a basic string of TOML
