"""The summary of a run as JSON and as a table, and the files of its findings."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from fuzz.engine.coverage import IS_AVAILABLE
from fuzz.engine.driver import Plan
from fuzz.engine.model import Defect, JobResult

SCHEMA: Final = "kbuild.fuzz/1"

_MIB: Final = 1 << 20


def summarize(plan: Plan, results: Sequence[JobResult], seconds: float) -> dict[str, Any]:
    """Return the figures of a run; ``seconds`` is the time that it took."""
    targets = [_summarize_target(name, results) for name in plan.targets]
    executions = sum(target["executions"] for target in targets)
    return {
        "schema": SCHEMA,
        "python": platform.python_version(),
        "seed": plan.seed,
        "jobs": plan.jobs,
        "is_coverage_guided": IS_AVAILABLE,
        "limits": {"seconds": plan.limits.seconds, "memory_mib": plan.limits.memory // _MIB},
        "seconds": round(seconds, 1),
        "executions": executions,
        "executions_per_second": round(executions / max(seconds, 1e-9)),
        "distinct_crashes": sum(target["distinct_crashes"] for target in targets),
        "targets": targets,
    }


def _summarize_target(name: str, results: Sequence[JobResult]) -> dict[str, Any]:
    own = [result for result in results if result.target == name]
    executions = sum(result.executions for result in own)
    seconds = sum(result.seconds for result in own)
    defects = list_defects(own)
    return {
        "target": name,
        "executions": executions,
        "worker_seconds": round(seconds, 1),
        "executions_per_worker_second": round(executions / max(seconds, 1e-9)),
        "distinct_crashes": len(defects),
        "kept_inputs": sum(result.kept_inputs for result in own),
        "peak_mib": round(max((result.peak_bytes for result in own), default=0) / _MIB),
        "crashes": [
            {"kind": defect.kind, "signature": defect.signature, "file": name_file(defect)}
            for defect in defects
        ],
    }


def list_defects(results: Sequence[JobResult]) -> tuple[Defect, ...]:
    """Return each defect once, with its shortest input."""
    found: dict[tuple[str, str], Defect] = {}
    for defect in (defect for result in results for defect in result.defects):
        key = (defect.target, defect.signature)
        if key not in found or len(defect.data) < len(found[key].data):
            found[key] = defect
    return tuple(found[key] for key in sorted(found))


def name_file(defect: Defect) -> str:
    """Return the name of the file with the input of a defect."""
    digest = hashlib.sha256(defect.signature.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{defect.target}-{defect.kind}-{digest}"


def write_defects(directory: Path, defects: Sequence[Defect]) -> None:
    """Write the input of each defect, and the traceback beside it."""
    for defect in defects:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / name_file(defect)
        path.write_bytes(defect.data)
        path.with_suffix(".txt").write_text(defect.details, encoding="utf-8", errors="replace")


def format_table(summary: dict[str, Any]) -> str:
    """Return the figures as text."""
    lines = [f"{'target':16}{'executions':>12}{'per second':>12}{'crashes':>9}{'MiB':>6}"]
    lines += [
        f"{row['target']:16}{row['executions']:12,}{row['executions_per_worker_second']:12,}"
        f"{row['distinct_crashes']:9}{row['peak_mib']:6}"
        for row in summary["targets"]
    ]
    lines.append(
        f"{'all':16}{summary['executions']:12,}{summary['executions_per_second']:12,}"
        f"{summary['distinct_crashes']:9}   in {summary['seconds']} s, {summary['jobs']} processes"
    )
    return "\n".join(lines)


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Write the summary as JSON."""
    path.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
