"""Programs that ``kbuild run`` builds: each one is a manifest with one target in the cache."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import files, records
from kbuild.project.directory import BuildDirectory

TARGET: Final = "program"
# Compilers keep assert() when they optimize, but CMake's release builds remove it.
_KEEP_ASSERTIONS: Final = "-UNDEBUG"
_SCHEMA: Final = "kbuild.program/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSpec:
    """The sources and options of a program. Paths are absolute."""

    sources: tuple[Path, ...]
    backend: str
    architecture: str
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


def write_manifest(spec: ProgramSpec, directory: BuildDirectory) -> Path:
    """Write the manifest of a program beside its build, and return its path."""
    lists: dict[str, Iterable[object]] = {
        "sources": spec.sources,
        "architectures": (spec.architecture,),
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
    path = directory.root.parent / f"{directory.root.name}.toml"
    files.write_if_changed(path, "\n".join((*lines, "")).encode())
    return path


def _quote(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)  # also a basic string of TOML
