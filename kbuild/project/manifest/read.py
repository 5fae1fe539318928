"""Read a manifest: ``kbuild.toml``, or ``[tool.kbuild]`` in ``pyproject.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeVar, cast

from kbuild import records
from kbuild.errors import ConfigurationError, InputError, about, did_you_mean
from kbuild.files import read_toml
from kbuild.project.manifest.sources import (
    contains_host_code,
    find_sources,
    is_host_source,
    is_kernel_source,
)
from kbuild.project.manifest.tables import (
    PROFILES,
    Manifest,
    ManifestTarget,
    ProfileTable,
    TargetTable,
)
from kbuild.project.manifest.target_names import check_conflicts, check_name
from kbuild.stages.paths import UNSAFE_IN_ROOT, check_path, normalize
from kbuild.stages.settings import check_words

T = TypeVar("T")

MANIFEST_NAME: Final = "kbuild.toml"
PYPROJECT_NAME: Final = "pyproject.toml"
_TABLES: Final = ("target", "profile", "verify")


def find_manifest(directory: Path) -> Path:
    """Return the path of the manifest in ``directory``.

    Raises:
        ConfigurationError: There is neither a ``kbuild.toml`` nor a ``pyproject.toml`` with a
            ``[tool.kbuild]`` table.
    """
    manifest = directory / MANIFEST_NAME
    if manifest.is_file():
        return manifest
    pyproject = directory / PYPROJECT_NAME
    if pyproject.is_file() and _read_document(pyproject) is not None:
        return pyproject
    raise ConfigurationError(
        f"{directory}: no {MANIFEST_NAME}, and no {PYPROJECT_NAME} with [tool.kbuild]; "
        "name a manifest with -f FILE"
    )


def read_manifest(path: Path) -> Manifest:
    """Read the manifest at ``path``.

    Raises:
        ConfigurationError: The manifest is not valid TOML, has an unknown key, has a value of the
            wrong type, has no target, or has a pattern that matches no file.
    """
    path = normalize(path.absolute())
    check_path(path, "the manifest", UNSAFE_IN_ROOT)
    data = _read_document(path) or {}
    _reject_unknown(path, "table", data, _TABLES)
    tables = data.get("target", {})
    if not isinstance(tables, dict) or not tables:
        raise ConfigurationError(f"{path}: no [target.<name>] table")
    with about(manifest=path):
        targets = tuple(
            make_target(
                path.parent, name, _read_table(TargetTable, path, f"[target.{name}]", table)
            )
            for name, table in tables.items()
        )
        check_conflicts(tables)
    profiles = data.get("profile", {})
    if not isinstance(profiles, dict):
        raise ConfigurationError(f"{path}: 'profile' must be a table")
    _reject_unknown(path, "profile", profiles, PROFILES)
    return Manifest(
        root=path.parent,
        targets=targets,
        path=path,
        policy=path if "verify" in data else None,
        profiles=tuple((name, _read_profile(path, name, profiles[name])) for name in profiles),
    )


def _read_document(path: Path) -> dict[str, Any] | None:
    """Return the tables of a manifest, or None if a ``pyproject.toml`` has no kbuild table."""
    data: Any = read_toml(path)
    if path.name != PYPROJECT_NAME:
        return cast("dict[str, Any]", data)
    for name, key in (("tool", "tool"), ("tool.kbuild", "kbuild")):
        if key not in data:
            return None
        data = data[key]
        if not isinstance(data, dict):
            raise ConfigurationError(f"{path}: {name!r} must be a table")
    return cast("dict[str, Any]", data)


def _read_table(kind: type[T], path: Path, header: str, table: Any) -> T:
    try:
        return records.from_json(kind, table, f"{path}: {header}")
    except InputError as error:
        raise ConfigurationError(str(error)) from error


def _read_profile(path: Path, name: str, table: Any) -> ProfileTable:
    header = f"[profile.{name}]"
    read = _read_table(ProfileTable, path, header, table)
    try:
        for setting in ("definitions", "compile_options"):
            with about(setting=setting):
                check_words(getattr(read, setting))
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {header}.{error.setting}: {error}") from error
    return read


def make_target(root: Path, name: str, table: TargetTable) -> ManifestTarget:
    """Find the sources of a target, and check its settings against each other.

    Args:
        root: The directory that relative paths start from.
        name: The name of the target.
        table: Its settings.

    Raises:
        ConfigurationError: The name or a setting is not supported, or there is no such source.
    """
    with about(target=name):
        check_name(name)
        for setting in ("definitions", "compile_options", "host_options", "link_libraries"):
            with about(setting=setting):
                check_words(getattr(table, setting))
        sources = _find_sources(root, table)
        has_host_code = table.kind == "executable" or any(map(contains_host_code, sources))
        if has_host_code:
            _check_host_sources(sources)
        else:
            _reject_host_settings(table)
    return ManifestTarget(name=name, table=table, sources=sources, has_host_code=has_host_code)


def _find_sources(root: Path, table: TargetTable) -> tuple[Path, ...]:
    with about(setting="sources"):
        if not table.sources:
            raise ConfigurationError("expected at least one file or pattern")
        return find_sources(root, table.sources)


def _check_host_sources(sources: tuple[Path, ...]) -> None:
    for path in sources:
        if not is_kernel_source(path) and not is_host_source(path):
            raise ConfigurationError(
                f"'{path}' is not a source; expected a .cu, .hip, .c, or .cpp file",
                setting="sources",
            )


def _reject_host_settings(table: TargetTable) -> None:
    for key in ("host_options", "link_directories", "link_libraries"):
        if getattr(table, key):
            raise ConfigurationError(
                "the sources of the target contain no host code; remove the key, or use "
                'kind = "executable"',
                setting=key,
            )


def _reject_unknown(path: Path, what: str, data: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in data:
        if key not in known:
            raise ConfigurationError(f"{path}: unknown {what}: {key!r}{did_you_mean(key, known)}")
