"""``kbuild.toml``, or ``[tool.kbuild]`` of ``pyproject.toml``: targets without CMake.

The keys of a target are the keywords of ``kbuild_add_kernels`` in lower case.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kbuild import record
from kbuild.errors import ConfigurationError, InputError, did_you_mean
from kbuild.model import ArtifactKind
from kbuild.toml import read_toml

MANIFEST_NAME: Final = "kbuild.toml"
PYPROJECT_NAME: Final = "pyproject.toml"
_TABLES: Final = ("target", "verify")
# What CMake's generators or our own output folder have already.
_RESERVED: Final = frozenset(
    (
        *("all", "ALL_BUILD", "clean", "help", "install", "package", "test", "RUN_TESTS"),
        *("edit_cache", "rebuild_cache", "list_install_components", "cmake", "project"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTable:
    """One ``[target.<name>]``; paths are as written, relative to the manifest."""

    sources: tuple[str, ...]
    kind: ArtifactKind = "shared"
    backend: str = "cpu"
    architectures: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    debug_stubs: bool = False
    rdc: bool = False
    compression: str | None = None
    visibility: str | None = None
    runtime: str = "shared"
    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    compile_options: tuple[str, ...] = ()
    device_standard: int = 17
    host_compiler: str | None = None
    verify: bool = True
    policy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestTarget:
    """A target with its name, and its sources found."""

    name: str
    table: TargetTable
    sources: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a manifest asks for.  ``policy`` is the file with a ``[verify]`` table, if any."""

    path: Path
    targets: tuple[ManifestTarget, ...]
    policy: Path | None

    @property
    def root(self) -> Path:
        """The folder that relative paths start from."""
        return self.path.parent


def find_manifest(folder: Path) -> Path:
    """``kbuild.toml`` of ``folder``, or its ``pyproject.toml`` with ``[tool.kbuild]``."""
    manifest = folder / MANIFEST_NAME
    if manifest.is_file():
        return manifest
    pyproject = folder / PYPROJECT_NAME
    if pyproject.is_file() and "kbuild" in read_toml(pyproject).get("tool", {}):
        return pyproject
    raise ConfigurationError(
        f"{folder}: no {MANIFEST_NAME}, and no {PYPROJECT_NAME} with [tool.kbuild]; "
        "name one with -f FILE"
    )


def read_manifest(path: Path) -> Manifest:
    """The manifest at ``path``.

    Raises ConfigurationError for an unknown key (naming the nearest known one), a value of
    the wrong type, a pattern without files, or a manifest without targets.
    """
    path = path.absolute()
    data = read_toml(path)
    if path.name == PYPROJECT_NAME:
        data = data.get("tool", {}).get("kbuild", {})
    _refuse_unknown(path, "table", data, _TABLES)
    tables = data.get("target", {})
    if not isinstance(tables, dict) or not tables:
        raise ConfigurationError(f"{path}: no [target.<name>] in it")
    targets = tuple(_read_target(path, name, table) for name, table in tables.items())
    return Manifest(path=path, targets=targets, policy=path if "verify" in data else None)


def _read_target(path: Path, name: str, table: Any) -> ManifestTarget:
    where = f"{path}: [target.{name}]"
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where} is no table")
    known = tuple(field.name for field in dataclasses.fields(TargetTable))
    _refuse_unknown(path, f"key of [target.{name}]", table, known)
    try:
        read = record.from_json(TargetTable, table, f"[target.{name}]")
    except InputError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    _check_target(where, name, read)
    return ManifestTarget(name=name, table=read, sources=_find_sources(path, where, read.sources))


def _check_target(where: str, name: str, table: TargetTable) -> None:
    if not re.fullmatch(r"\w[\w.+-]*", name, re.ASCII) or name in _RESERVED:
        raise ConfigurationError(f"{where}: CMake can have no target of that name")
    if not table.sources:
        raise ConfigurationError(f"{where}: sources is empty")
    for value in (*table.sources, *table.definitions, *table.compile_options):
        if ";" in value:
            raise ConfigurationError(f"{where}: {value!r}: CMake would split it at the semicolon")


def _find_sources(path: Path, where: str, patterns: tuple[str, ...]) -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    for pattern in patterns:
        matches = sorted(path.parent.glob(pattern)) if not Path(pattern).is_absolute() else []
        if Path(pattern).is_absolute() and Path(pattern).is_file():
            matches = [Path(pattern)]
        if not matches:
            raise ConfigurationError(f"{where}: no source matches {pattern!r}")
        found.update(dict.fromkeys(matches))
    return tuple(found)


def _refuse_unknown(path: Path, what: str, data: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in data:
        if key not in known:
            raise ConfigurationError(f"{path}: unknown {what}: {key!r}{did_you_mean(key, known)}")
