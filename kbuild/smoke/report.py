"""The results of a smoke test, as frozen values for renderers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["resolve", "case", "checks"]
Status: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeResult:
    """The result for one kernel that was loaded, for one case, or for the checks of all cases.

    Attributes:
        detail: Why it failed or was skipped, with the end of its output; None if it passed.
        seconds: The time that it took.
    """

    name: str
    kind: Kind
    status: Status
    detail: str | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeReport:
    """The results of a smoke test; ``device_count`` is None if the library could not be loaded."""

    path: str
    device_count: int | None
    results: tuple[SmokeResult, ...]

    @property
    def ok(self) -> bool:
        """Whether everything passed; a skipped result has not passed."""
        return all(result.status == "passed" for result in self.results)

    @property
    def is_skipped(self) -> bool:
        """Whether nothing ran."""
        return all(result.status == "skipped" for result in self.results)


def add_failure(report: SmokeReport, kind: Kind, detail: str) -> SmokeReport:
    """Return the report with a failure that is about the whole library."""
    result = SmokeResult(name=report.path, kind=kind, status="failed", detail=detail, seconds=0.0)
    return replace(report, results=(*report.results, result))
