"""``kbuild.toml``, or ``[tool.kbuild]`` of ``pyproject.toml``: targets without CMake.

The keys of a target are the keywords of ``kbuild_add_kernels`` in lower case.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from kbuild import records
from kbuild.errors import ConfigurationError, InputError, did_you_mean
from kbuild.files import read_toml
from kbuild.model import ArtifactKind, CompressionMode, RuntimeLinkage, Visibility
from kbuild.project.sources import find_sources
from kbuild.project.state import SourcePattern
from kbuild.project.target_names import check_name, check_together
from kbuild.stages.paths import UNSAFE_IN_ROOT, check_path, normalize

T = TypeVar("T")

# TOML has booleans where CMake has ON and OFF.
StubChoice: TypeAlias = Literal[True, False, "symbols"]

MANIFEST_NAME: Final = "kbuild.toml"
PYPROJECT_NAME: Final = "pyproject.toml"
_TABLES: Final = ("target", "profile", "verify")
PROFILES: Final = ("release", "debug")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTable:
    """One ``[target.<name>]``; paths are as written, relative to the manifest."""

    sources: tuple[str, ...]
    kind: ArtifactKind = "shared"
    backend: str = "cpu"
    architectures: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    debug_stubs: StubChoice = False
    rdc: bool = False
    compression: CompressionMode | None = None
    visibility: Visibility | None = None
    runtime: RuntimeLinkage = "shared"
    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    compile_options: tuple[str, ...] = ()
    device_standard: int = 17
    host_compiler: str | None = None
    verify: bool = True
    policy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileTable:
    """``[profile.debug]`` or ``[profile.release]``: what it changes of every target.

    Lists come after the target's own; the others replace its, if they are there.
    """

    definitions: tuple[str, ...] = ()
    compile_options: tuple[str, ...] = ()
    debug_stubs: StubChoice | None = None
    verify: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestTarget:
    """A target with its name, and the files that its patterns name."""

    name: str
    table: TargetTable
    patterns: tuple[SourcePattern, ...]

    @property
    def sources(self) -> tuple[Path, ...]:
        """Each file once, however it is spelled, in the order of the patterns."""
        files = (file for pattern in self.patterns for file in pattern.files)
        return tuple(dict.fromkeys(map(normalize, files)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a manifest asks for.

    ``policy`` is the file with a ``[verify]`` table, if any; ``profiles`` are those with a table.
    """

    path: Path
    targets: tuple[ManifestTarget, ...]
    policy: Path | None
    profiles: tuple[tuple[str, ProfileTable], ...] = ()

    @property
    def root(self) -> Path:
        """The folder that relative paths start from."""
        return self.path.parent

    def profile(self, name: str) -> ProfileTable:
        """The profile called ``name``; one without a table changes nothing."""
        return dict(self.profiles).get(name, ProfileTable())


def find_manifest(folder: Path) -> Path:
    """``kbuild.toml`` of ``folder``, or its ``pyproject.toml`` with ``[tool.kbuild]``."""
    manifest = folder / MANIFEST_NAME
    if manifest.is_file():
        return manifest
    pyproject = folder / PYPROJECT_NAME
    if pyproject.is_file() and _read_document(pyproject) is not None:
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
    check_path(path, "the manifest", UNSAFE_IN_ROOT)
    data = _read_document(path) or {}
    _refuse_unknown(path, "table", data, _TABLES)
    tables = data.get("target", {})
    if not isinstance(tables, dict) or not tables:
        raise ConfigurationError(f"{path}: no [target.<name>] in it")
    targets = tuple(_read_target(path, name, table) for name, table in tables.items())
    with _where(path):
        check_together(tables)
    profiles = data.get("profile", {})
    if not isinstance(profiles, dict):
        raise ConfigurationError(f"{path}: profile is no table")
    _refuse_unknown(path, "profile", profiles, PROFILES)
    return Manifest(
        path=path,
        targets=targets,
        policy=path if "verify" in data else None,
        profiles=tuple((name, _read_profile(path, name, profiles[name])) for name in profiles),
    )


def _read_document(path: Path) -> dict[str, Any] | None:
    """The tables of a manifest; None of a ``pyproject.toml`` that has none."""
    data: Any = read_toml(path)
    if path.name != PYPROJECT_NAME:
        return cast("dict[str, Any]", data)
    for header, key in (("[tool]", "tool"), ("[tool.kbuild]", "kbuild")):
        if key not in data:
            return None
        data = data[key]
        if not isinstance(data, dict):
            raise ConfigurationError(f"{path}: {header} is no table")
    return cast("dict[str, Any]", data)


@contextmanager
def _where(where: object) -> Iterator[None]:
    """Say in errors what they are about."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from error


def _read_table(kind: type[T], path: Path, header: str, table: Any) -> T:
    try:
        return records.from_json(kind, table, f"{path}: {header}")
    except InputError as error:
        raise ConfigurationError(str(error)) from error


def _read_profile(path: Path, name: str, table: Any) -> ProfileTable:
    header = f"[profile.{name}]"
    read = _read_table(ProfileTable, path, header, table)
    _refuse_semicolons(f"{path}: {header}", (*read.definitions, *read.compile_options))
    return read


def _read_target(path: Path, name: str, table: Any) -> ManifestTarget:
    where = f"{path}: [target.{name}]"
    read = _read_table(TargetTable, path, f"[target.{name}]", table)
    _check_target(where, name, read)
    patterns = find_sources(path.parent, f"{where}.sources", read.sources)
    return ManifestTarget(name=name, table=read, patterns=patterns)


def _check_target(where: str, name: str, table: TargetTable) -> None:
    with _where(where):
        check_name(name)
    if not table.sources:
        raise ConfigurationError(f"{where}: sources is empty")
    _refuse_semicolons(where, (*table.definitions, *table.compile_options))


def _refuse_semicolons(where: str, values: tuple[str, ...]) -> None:
    for value in values:
        if ";" in value:
            raise ConfigurationError(f"{where}: {value!r}: CMake would split it at the semicolon")


def _refuse_unknown(path: Path, what: str, data: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in data:
        if key not in known:
            raise ConfigurationError(f"{path}: unknown {what}: {key!r}{did_you_mean(key, known)}")
