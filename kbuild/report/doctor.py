"""Renderers for `kbuild doctor`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from kbuild.records import to_json
from kbuild.toolchain.doctor import Diagnosis, ToolchainDiagnosis

SCHEMA: Final = "kbuild.doctor/1"


def render_json(diagnosis: Diagnosis) -> str:
    """Return the diagnosis as a JSON document."""
    body = {"schema": SCHEMA, **to_json(diagnosis)}
    body["programs"] = dict(diagnosis.programs)
    return json.dumps(body, indent=2) + "\n"


def render_text(diagnosis: Diagnosis) -> str:
    """Return one paragraph per backend, then the programs, the driver, and the devices."""
    lines = [line for toolchain in diagnosis.toolchains for line in _describe(toolchain)]
    for name, path in diagnosis.programs:
        lines.append(f"{name:<9}{path or 'not found: pip install kbuild[build]'}")
    if diagnosis.driver_version is not None:
        lines.append(f"driver   NVIDIA, for CUDA {diagnosis.driver_version}")
    elif not diagnosis.devices:
        lines.append("driver   no GPU driver found: GPU kernels can be built here, but not run")
    lines += [f"device   {device.name}, {device.architecture}" for device in diagnosis.devices]
    return "\n".join(lines) + "\n"


def _describe(toolchain: ToolchainDiagnosis) -> Iterator[str]:
    state = "usable" if toolchain.problem is None else f"not usable: {toolchain.problem}"
    yield f"{toolchain.backend:<9}{state}"
    if toolchain.compiler is not None:
        yield f"         {toolchain.compiler} ({toolchain.version})"
    if toolchain.architectures:
        yield f"         knows {' '.join(toolchain.architectures)}"
    for runtime in toolchain.runtimes:
        yield f"         {runtime}"
    for note in toolchain.notes:
        yield f"         note: {note}"
