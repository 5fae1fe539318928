"""Render a report on artifacts, or a comparison of two builds, as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Final

import jinja2

from kbuild import resources
from kbuild.diff.model import DiffReport
from kbuild.facts import ArtifactFacts
from kbuild.report.figures import describe_relocatable
from kbuild.report.layout import format_size, make_one_line, plural
from kbuild.report.page.comparison import describe_comparison
from kbuild.report.page.kernels import compress, describe_kernels, list_architectures
from kbuild.values import dataclass
from kbuild.verify.figures import final_images
from kbuild.verify.report import Finding, Instance, Report

# d3-hierarchy lays out the map of sizes. Its license is in the same directory.
_SCRIPTS: Final = ("d3-hierarchy.min.js", "data.js", "table.js", "treemap.js", "main.js")
_MOST_INSTANCES: Final = 20
_MOST_NAMES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What a page shows about artifacts. ``comparison`` is with an older build, or None."""

    artifacts: tuple[ArtifactFacts, ...]
    report: Report
    comparison: DiffReport | None = None


def render_overview(overview: Overview) -> str:
    """Return the page about artifacts."""
    return _render(
        title=f"kbuild report: {_name_artifacts(overview.artifacts)}",
        overview=_describe(overview),
        comparison=describe_comparison(overview.comparison) if overview.comparison else None,
        script="\n".join(map(_read, _SCRIPTS)),
    )


def _name_artifacts(artifacts: tuple[ArtifactFacts, ...]) -> str:
    """Return the names of the files. A wheel's name contains its version, too."""
    outer = dict.fromkeys(facts.path.partition("!")[0] for facts in artifacts)
    names = [_name_file(make_one_line(path)) for path in outer]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}"


def _name_file(path: str) -> str:
    name = PurePath(path).name
    if not name.endswith(".whl"):
        return name
    distribution, version, *_ = (*name.removesuffix(".whl").split("-"), "")
    return f"{distribution} {version}".strip()


def render_comparison(report: DiffReport) -> str:
    """Return the page about the differences between two builds."""
    comparison = describe_comparison(report)
    title = f"kbuild diff: {comparison['old']} → {comparison['new']}"
    return _render(title=title, overview=None, comparison=comparison)


def _render(**context: Any) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates_directory()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    template = environment.get_template("report/page.html.j2")
    return template.render(style=_read("style.css"), **context)


def _read(name: str) -> str:
    return (resources.templates_directory() / "report" / name).read_text(encoding="utf-8")


def _describe(overview: Overview) -> dict[str, Any]:
    artifacts = tuple(facts for facts in overview.artifacts if facts.images)
    architectures = list_architectures(artifacts)
    data = describe_kernels(artifacts)
    report = overview.report
    errors = sum(finding.severity == "error" for finding in report.findings)
    images = [image for facts in artifacts for image in final_images(facts)]
    sizes = (sum(image.size for image in images), sum(image.stored_size for image in images))
    counts = (
        plural(len(artifacts), "artifact"),
        plural(len(architectures), "architecture"),
        f"{plural(len(data['names']), 'kernel')} ({len(data['kernels']['name'])} in all images)",
        f"{format_size(sizes[0])} of device code, {format_size(sizes[1])} in the files",
    )
    return {
        "ok": report.ok,
        "verdict": plural(errors, "error") if not report.ok else "no errors",
        "counts": ", ".join(counts),
        "architectures": data["architectures"],
        "matrix": [_describe_row(n, facts, architectures) for n, facts in enumerate(artifacts)],
        "rules": ". ".join((*_describe_rules(report), "")).strip(),
        "findings": [_describe_finding(finding) for finding in report.findings],
        "data": compress(data),
    }


def _describe_row(
    number: int, facts: ArtifactFacts, architectures: tuple[str, ...]
) -> dict[str, Any]:
    cells = []
    for arch in architectures:
        images = [image for image in final_images(facts) if image.arch == arch]
        cell = {
            "kernels": sum(len(image.kernels) for image in images),
            "size": format_size(sum(image.stored_size for image in images)),
        }
        cells.append(cell if images else None)
    kind = ", ".join(filter(None, (facts.kind.replace("-", " "), facts.machine)))
    note = describe_relocatable(facts)
    path = make_one_line(facts.path)
    return {"number": number, "path": path, "kind": kind, "cells": cells, "note": note}


def _describe_rules(report: Report) -> Iterator[str]:
    yield f"{plural(len(report.findings), 'finding')} of {plural(len(report.rules_run), 'rule')}"
    if report.waived:
        yield f"{plural(len(report.waived), 'finding')} waived"
    for note in report.rules_errored:
        yield make_one_line(f"{note.rule} failed: {note.reason}")


def _describe_finding(finding: Finding) -> dict[str, Any]:
    shown = [make_one_line(_describe_instance(one)) for one in finding.instances[:_MOST_INSTANCES]]
    more = finding.count - len(shown)
    texts = ("severity", "rule", "slug", "message", "path", "fix")
    return {
        **{name: make_one_line(getattr(finding, name)) for name in texts},
        "instances": [*shown, *([f"and {more} more"] if shown and more else [])],
    }


def _describe_instance(instance: Instance) -> str:
    return ", ".join(filter(None, (instance.symbol, instance.arch, instance.where)))
