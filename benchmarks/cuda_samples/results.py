"""The results of a run, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SCHEMA = "kbuild.benchmarks.cuda_samples/1"
PASSED, FAILED, WAIVED, TIMED_OUT, NOT_BUILT = (
    "passed",
    "failed",
    "waived",
    "timed out",
    "not built",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a sample.

    Attributes:
        directory: The sample's directory, relative to the root of the samples.
        status: One of ``passed``, ``failed``, ``waived``, ``timed out``, and ``not built``.
        detail: The reason, in one line; empty if the sample passed.
        seconds: The time of all runs together.
        log: The end of the output of what failed.
        build_seconds: The processor time of the build, where it was measured.
        findings: What checks report, if they run.
    """

    directory: str
    status: str
    detail: str
    seconds: float
    log: str
    build_seconds: float | None = None
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The results of one tool and backend, and what they were made with.

    Attributes:
        tool: ``kbuild``, ``cmake``, or ``nvcc``, as in `Configuration`.
        backend: The backend.
        commit: The commit of the samples; empty if the sources differ from the pinned commit.
        versions: What was used: compilers, devices, drivers.
        results: A result per sample that was tried.
    """

    tool: str
    backend: str
    commit: str
    versions: tuple[str, ...]
    results: tuple[Result, ...]


def write_run(path: Path, run: Run) -> None:
    path.write_text(json.dumps({"schema": SCHEMA, **asdict(run)}, indent=1) + "\n")


def read_run(path: Path) -> Run:
    data: dict[str, Any] = json.loads(path.read_text())
    if data.pop("schema", None) != SCHEMA:
        raise SystemExit(f"'{path}' is not a result of this benchmark; expected schema '{SCHEMA}'")
    results = tuple(
        Result(**{**result, "findings": tuple(result.get("findings", ()))})
        for result in data.pop("results")
    )
    return Run(**{**data, "versions": tuple(data["versions"])}, results=results)
