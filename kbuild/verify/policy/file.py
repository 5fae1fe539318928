"""What a project demands of its artifacts: the values that `kbuild verify` judges by.

`kbuild.verify.policy.tables` says how they are written, and reads them.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from kbuild.errors import ConfigurationError, InputError
from kbuild.files import read_toml
from kbuild.verify.glob import matches, matches_file, matches_kernel
from kbuild.verify.policy.baseline import Baseline, read_baseline

Severity: TypeAlias = Literal["error", "warning", "info"]
PtxPolicy: TypeAlias = Literal["required", "forbidden", "optional"]
Limit: TypeAlias = Literal[
    "max_registers",
    "max_spill_bytes",
    "max_local_bytes",
    "max_shared_bytes",
    "max_kernel_bytes",
    "max_architecture_bytes",
    "max_artifact_bytes",
]
ArchitectureList: TypeAlias = Literal["required_architectures", "allowed_architectures"]

SEVERITIES: Final[tuple[Severity, ...]] = ("info", "warning", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityChange:
    """A rule's severity as the project wants it; lowering one takes a reason."""

    rule: str
    severity: Severity
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What a policy can demand of all kernels, or of some; None demands nothing."""

    required_architectures: tuple[str, ...] | None = None
    allowed_architectures: tuple[str, ...] | None = None
    ptx: PtxPolicy | None = None
    max_registers: int | None = None
    max_spill_bytes: int | None = None
    max_local_bytes: int | None = None
    max_shared_bytes: int | None = None
    max_kernel_bytes: int | None = None
    max_architecture_bytes: int | None = None
    max_artifact_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Demands):
    """A ``[[verify.for]]`` table: what is demanded of the kernels, files, images it names.

    An empty selector does not select; a table with ``kernels`` says nothing of a whole file.
    """

    kernels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()

    def covers(self, path: str, kernel: str | None, arch: str | None) -> bool:
        """Whether the table speaks of this."""
        if self.files and not matches_file(self.files, path):
            return False
        if self.kernels and not (kernel is not None and matches_kernel(self.kernels, kernel)):
            return False
        return not self.architectures or (arch is not None and matches(self.architectures, arch))


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """Findings of ``rule`` that the project lives with, through the day ``expires``."""

    rule: str
    reason: str
    expires: dt.date
    kernels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    arch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy(Demands):
    """What a project demands; the default demands nothing beyond the rules themselves.

    ``parts`` change the demands for some kernels, files and architectures, later ones last.
    ``exported`` are the kernels that may be exported.  ``source`` is the file that the
    policy was read from; ``baseline`` the figures that may not get worse, ``baseline_file``
    where the policy says that they are.
    """

    minimum_driver: str | None = None
    minimum_runtime: str | None = None
    exported: tuple[str, ...] | None = None
    severities: tuple[SeverityChange, ...] = ()
    parts: tuple[Part, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    source: str | None = field(default=None, compare=False)
    baseline: Baseline | None = None
    baseline_file: str | None = field(default=None, compare=False)

    def limit(
        self, name: Limit, path: str, kernel: str | None = None, arch: str | None = None
    ) -> int | None:
        """The limit ``name`` as it stands for a file, a kernel or an architecture in it."""
        found: int | None = self._find(name, path, kernel, arch)
        return found

    def has_limit(self, *names: Limit) -> bool:
        """Whether one of these limits is set for anything."""
        return any(
            getattr(part, name) is not None for part in (self, *self.parts) for name in names
        )

    def architectures(
        self, name: ArchitectureList, path: str, kernel: str | None = None
    ) -> tuple[str, ...] | None:
        """The architectures that are required or allowed of a file or a kernel in it."""
        found: tuple[str, ...] | None = self._find(name, path, kernel, None)
        return found

    def ptx_of(self, path: str) -> PtxPolicy | None:
        """Whether the containers of a file are to hold code for drivers to compile."""
        found: PtxPolicy | None = self._find("ptx", path, None, None)
        return found

    def _find(self, name: str, path: str, kernel: str | None, arch: str | None) -> Any:
        value = getattr(self, name)
        for part in self.parts:
            own = getattr(part, name)
            if own is not None and part.covers(path, kernel, arch):
                value = own
        return value


def load_policy(path: Path, *, reads_baseline: bool = True) -> Policy:
    """The policy in ``path``; raises ConfigurationError for anything it cannot mean.

    The baseline that it names is read, unless there is another one, or none is needed yet.
    """
    document = read_toml(path)
    table, where = _find_table(path, document)
    if table is None:
        raise ConfigurationError(f"{path}: no {where} table in it")
    return _read(path, table, where, reads_baseline=reads_baseline)


def find_policy(directory: Path, *, reads_baseline: bool = True) -> Policy | None:
    """The policy of the project in ``directory``, where there is one; see `load_policy`."""
    for name in ("kbuild.toml", "pyproject.toml"):
        path = directory / name
        if path.is_file():
            table, where = _find_table(path, read_toml(path))
            if table is not None:
                return _read(path, table, where, reads_baseline=reads_baseline)
    return None


def _read(path: Path, table: object, where: str, *, reads_baseline: bool) -> Policy:
    from kbuild.verify.policy.tables import read_policy  # noqa: PLC0415 - it makes our values

    policy = read_policy(table, f"{path}: {where}", str(path))
    if policy.baseline_file is None:
        return policy
    # Relative to the policy, wherever the command runs.
    file = path.parent / policy.baseline_file
    try:
        baseline = read_baseline(file) if reads_baseline else None
    except InputError as error:
        raise ConfigurationError(f"{path}: {where}.baseline: {error}") from error
    return replace(policy, baseline=baseline, baseline_file=str(file))


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
