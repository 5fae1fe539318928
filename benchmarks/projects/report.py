"""Show the results of a project, and write them as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.projects.execute import PASSED, SideResult
from benchmarks.projects.plan import Plan

OURS = "kbuild"
SCHEMA = "kbuild.benchmarks.projects/1"


def write_results(
    path: Path, plan: Plan, conditions: Sequence[str], results: Sequence[SideResult]
) -> None:
    data = {
        "schema": SCHEMA,
        "name": plan.name,
        "repository": plan.repository,
        "commit": plan.commit,
        "license": plan.license,
        "conditions": list(conditions),
        "sides": [asdict(result) for result in results],
    }
    path.write_text(json.dumps(data, indent=1) + "\n")


def render_markdown(results: Sequence[SideResult]) -> str:
    """Return a table of the builds, and one of the tests."""
    return "\n".join([*_render_builds(results), "", *_render_tests(results)])


def _render_builds(results: Sequence[SideResult]) -> Iterator[str]:
    yield "| Built by | Configure | Build | Processor time | kbuild: wall, processor |"
    yield "|---|---|---|---|---|"
    ours = next((r for r in results if r.name == OURS and not r.log), None)
    for result in results:
        if result.log:
            yield f"| {result.name} | not built | | | |"
            continue
        ratio = ""
        if ours and result is not ours:
            wall = ours.build.wall / result.build.wall
            ratio = f"{wall:.2f}, {ours.build.processor / result.build.processor:.2f}"
        yield (
            f"| {result.name} | {result.configure.wall:.1f} s | {result.build.wall:.1f} s "
            f"| {result.build.processor:.1f} s | {ratio} |"
        )


def _render_tests(results: Sequence[SideResult]) -> Iterator[str]:
    yield "| Test | Built by | Result | Seconds | Summary |"
    yield "|---|---|---|---|---|"
    for result in results:
        for test in result.tests:
            summary = test.summary.replace("|", "\\|")
            yield (
                f"| {test.name} | {result.name} | {test.status} | {test.seconds:.1f} | {summary} |"
            )


def has_failed(result: SideResult) -> bool:
    """Return whether a side was not built, or a test did not pass."""
    return bool(result.log) or any(test.status != PASSED for test in result.tests)
