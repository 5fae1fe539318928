"""Pages of `kbuild report`, made from facts, and their data."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

from kbuild.diff.model import DiffReport
from kbuild.facts import ArtifactFacts
from kbuild.model import Kernel, Resources
from kbuild.report.page.html import Overview, render_overview
from kbuild.verify.report import Finding
from support.facts.build_facts import foreign_facts, gpu_image
from support.facts.build_reports import make_report


def make_kernel(name: str, **resources: Any) -> Kernel:
    """Return a kernel with these resources."""
    return Kernel(name=name, display=f"{name}(float*)", resources=Resources(**resources))


def make_artifact(path: str, *kernels: Kernel, architectures: tuple[str, ...]) -> ArtifactFacts:
    """Return a library with an image per architecture that has all these kernels."""
    size = sum(kernel.resources.code_bytes or 0 for kernel in kernels) + 1000
    images = [gpu_image(arch, kernels=kernels, size=size) for arch in architectures]
    facts = foreign_facts(*images)
    return ArtifactFacts(
        path=path, kind=facts.kind, machine=facts.machine, sha256=None, images=facts.images
    )


def render_page(
    *artifacts: ArtifactFacts,
    findings: tuple[Finding, ...] = (),
    comparison: DiffReport | None = None,
) -> str:
    """Return the page about artifacts."""
    report = make_report(*findings)
    return render_overview(Overview(artifacts=artifacts, report=report, comparison=comparison))


def read_data(page: str) -> Any:
    """Return the data that the page contains for its scripts."""
    text = re.search(r'id="data">([^<]*)<', page)
    assert text
    return json.loads(zlib.decompress(base64.b64decode(text[1])))
