"""Write the depfile of a source, for make and ninja."""

from __future__ import annotations

import os
from pathlib import Path

from kbuild import files
from kbuild.nvcc.invocation import DependencyFile, Invocation
from kbuild.stages.depfiles import escape, read_dependencies
from kbuild.stages.edges import BuildPlan


def find_depfile(invocation: Invocation, output: Path) -> Path | None:
    """Return the depfile that a compile writes beside ``output``, or None."""
    requested = invocation.dependencies
    return None if requested is None else requested.path or output.with_suffix(".d")


def render_depfile(requested: DependencyFile, output: Path, plan: BuildPlan) -> bytes:
    """Return the rule with the files that both passes of a source have read."""
    (host,) = plan.hosts
    depfiles = (host.depfile, *(edge.depfile for edge in plan.edges))
    read = dict.fromkeys(path for depfile in depfiles for path in read_dependencies(depfile))
    targets = requested.targets or (escape(output),)
    lines = [f"{' '.join(targets)}: {' '.join(map(escape, read))}\n"]
    if requested.has_phony_targets:
        lines += (f"\n{escape(path)}:\n" for path in read if path != host.source)
    return os.fsencode("".join(lines))


def write_depfile(invocation: Invocation, output: Path, plan: BuildPlan) -> None:
    """Write the depfile of a compile if the command line requests one."""
    path = find_depfile(invocation, output)
    if path is not None and invocation.dependencies is not None:
        files.write_file(path, render_depfile(invocation.dependencies, output, plan))
