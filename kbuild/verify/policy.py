"""What a project demands of its artifacts, read from TOML.

The policy is the ``[verify]`` table of ``kbuild.toml``, ``[tool.kbuild.verify]`` of
``pyproject.toml``, or a file of its own, with or without the ``[verify]`` header::

    [verify]
    required_architectures = ["sm_80", "sm_90"]

    [verify.severities]
    KB103 = "error"
    KB108 = { severity = "warning", reason = "the old images go away with 2.0" }
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.toml import read_toml

Severity: TypeAlias = Literal["error", "warning", "info"]

SEVERITIES: Final[tuple[Severity, ...]] = ("info", "warning", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityChange:
    """A rule's severity as the project wants it; lowering one takes a reason."""

    rule: str
    severity: Severity
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a project demands; the default demands nothing beyond the rules themselves."""

    required_architectures: tuple[str, ...] = ()
    severities: tuple[SeverityChange, ...] = ()


def load_policy(path: Path) -> Policy:
    """The policy in ``path``; raises ConfigurationError for anything it cannot mean."""
    document = read_toml(path)
    table, where = _find_table(path, document)
    if table is None:
        raise ConfigurationError(f"{path}: no {where} table in it")
    return _read_policy(table, f"{path}: {where}")


def find_policy(directory: Path) -> Policy | None:
    """The policy of the project in ``directory``, where there is one."""
    for name in ("kbuild.toml", "pyproject.toml"):
        path = directory / name
        if path.is_file():
            table, where = _find_table(path, read_toml(path))
            if table is not None:
                return _read_policy(table, f"{path}: {where}")
    return None


def _find_table(path: Path, document: dict[str, Any]) -> tuple[object, str]:
    """The policy's table, None where there is none, and its name for messages."""
    if path.name == "pyproject.toml":
        table: object = document
        for key in ("tool", "kbuild", "verify"):
            table = table.get(key) if isinstance(table, dict) else None
        return table, "[tool.kbuild.verify]"
    if "verify" in document or path.name == "kbuild.toml":
        return document.get("verify"), "[verify]"
    return document, "policy"


def _read_policy(table: object, where: str) -> Policy:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where}: expected a table")
    for key in table:
        if key not in _READERS:
            raise ConfigurationError(f"{where}: unknown key {key!r}{did_you_mean(key, _READERS)}")
    return Policy(**{key: _READERS[key](value, f"{where}.{key}") for key, value in table.items()})


def _read_strings(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigurationError(f"{where}: expected a list of strings")
    return tuple(value)


def _read_severities(value: object, where: str) -> tuple[SeverityChange, ...]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where}: expected a table of rule ids")
    return tuple(_read_change(name, entry, f"{where}.{name}") for name, entry in value.items())


def _read_change(name: str, entry: object, where: str) -> SeverityChange:
    table: object = {"severity": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict) or "severity" not in table:
        raise ConfigurationError(f'{where}: expected {{ severity = "...", reason = "..." }}')
    known = ("severity", "reason")
    for key in table:
        if key not in known:
            raise ConfigurationError(f"{where}: unknown key {key!r}{did_you_mean(key, known)}")
    severity, reason = table["severity"], table.get("reason")
    if severity not in SEVERITIES:
        raise ConfigurationError(f"{where}: {severity!r} is none of {', '.join(SEVERITIES)}")
    if reason is not None and not (isinstance(reason, str) and reason.strip()):
        raise ConfigurationError(f"{where}: the reason is empty")
    return SeverityChange(rule=name, severity=severity, reason=reason)


_READERS: Final[dict[str, Callable[[Any, str], Any]]] = {
    "required_architectures": _read_strings,
    "severities": _read_severities,
}
