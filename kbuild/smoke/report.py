"""The outcome of a smoke test: frozen values that renderers turn into text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["resolve", "case"]
Status: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeResult:
    """One kernel that was resolved, or one case that ran.

    ``detail`` says why it failed or was skipped, with the tail of what it printed.
    """

    name: str
    kind: Kind
    status: Status
    detail: str | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeReport:
    """What happened; ``device_count`` is None where the runtime could not be asked."""

    path: str
    device_count: int | None
    results: tuple[SmokeResult, ...]

    @property
    def ok(self) -> bool:
        """Whether everything passed: something that was skipped has not."""
        return all(result.status == "passed" for result in self.results)

    @property
    def is_skipped(self) -> bool:
        """Whether nothing ran."""
        return all(result.status == "skipped" for result in self.results)
