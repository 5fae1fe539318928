"""The versioned JSON of `kbuild inspect` and `kbuild verify`; field names are a contract."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kbuild.facts import (
    ArtifactFacts,
    HandleFacts,
    HostKernel,
    ImageFacts,
    ModuleFacts,
    Place,
    Symbol,
    WrapperFacts,
)
from kbuild.model import Kernel
from kbuild.record import to_json
from kbuild.verify.report import Report

INSPECT_SCHEMA: Final = "kbuild.inspect/1"
VERIFY_SCHEMA: Final = "kbuild.verify/1"


def render(report: Report) -> str:
    """The report of `kbuild verify` as JSON."""
    return _dump({"schema": VERIFY_SCHEMA, "ok": report.ok, **to_json(report)})


def render_artifacts(
    artifacts: Sequence[ArtifactFacts], errors: Sequence[tuple[str, str]] = ()
) -> str:
    """The facts that `kbuild inspect` shows, as JSON; ``errors`` are (path, message)."""
    return _dump(
        {
            "schema": INSPECT_SCHEMA,
            "artifacts": [_artifact(facts) for facts in artifacts],
            "errors": [{"path": path, "message": message} for path, message in errors],
        }
    )


def _dump(document: dict[str, Any]) -> str:
    # ASCII alone: symbol and file names may hold what UTF-8 cannot carry.
    return json.dumps(document, indent=2) + "\n"


def _artifact(facts: ArtifactFacts) -> dict[str, Any]:
    record = facts.modules[0].record if facts.modules else None
    return {
        "path": facts.path,
        "kind": facts.kind,
        "machine": facts.machine,
        "sha256": facts.sha256,
        "kbuild": {"version": record.version, "target": record.target} if record else None,
        "images": [_image(image) for image in facts.images],
        "handles": [
            *_handles(facts),
            *(_host_kernel(facts, kernel) for kernel in facts.host_kernels),
        ],
        "wrappers": [_wrapper(facts, wrapper) for wrapper in facts.wrappers],
        "runtimes": [to_json(runtime) for runtime in facts.runtimes],
        "variables": [to_json(v) for module in facts.modules for v in module.record.variables],
    }


def _image(image: ImageFacts) -> dict[str, Any]:
    return {
        "backend": image.backend,
        "arch": image.arch,
        "kind": image.kind,
        "compression": image.compression,
        "size": image.size,
        "stored_size": image.stored_size,
        "container": image.container,
        "ptx_version": image.ptx_version,
        "kernels": [_kernel(kernel) for kernel in image.kernels],
    }


def _kernel(kernel: Kernel) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "display": kernel.display,
        "params": [
            {"index": p.index, "offset": p.offset, "size": p.size, "type": p.type}
            for p in kernel.params
        ],
        "registers": kernel.resources.registers,
        "shared_bytes": kernel.resources.shared_bytes,
        "local_bytes": kernel.resources.local_bytes,
        "spill_bytes": kernel.resources.spill_bytes,
        "max_threads": kernel.resources.max_threads,
    }


def _handles(facts: ArtifactFacts) -> Iterator[dict[str, Any]]:
    modules = {row: module for module in facts.modules for row in module.record.kernels}
    for handle in facts.handles:
        if handle.is_found:
            yield {
                **_identity(facts, handle.kernel, handle.symbol, handle.place),
                "stub": handle.row.stub,
                "registered": _is_registered(handle, modules.get(handle.row)),
            }


def _is_registered(handle: HandleFacts, module: ModuleFacts | None) -> bool | None:
    """Whether the module's constructor registers this very handle, where that can be read."""
    if handle.registered is None or module is None:
        return None
    return handle.registered.place == handle.place and module.is_constructor_reached


def _host_kernel(facts: ArtifactFacts, kernel: HostKernel) -> dict[str, Any]:
    symbol = kernel.symbol
    return {
        **_identity(facts, kernel.kernel, symbol, symbol.place if symbol else None),
        "stub": kernel.stub.name if kernel.stub else None,
        "registered": kernel.is_registered,
    }


def _identity(
    facts: ArtifactFacts, kernel: str, symbol: Symbol | None, place: Place | None
) -> dict[str, Any]:
    kind = None
    if symbol is not None:
        kind = "function" if symbol.type == "function" else "variable"
    section = facts.section_of(place) if place else None
    return {
        "kernel": kernel,
        "kind": kind,
        "binding": symbol.binding if symbol else None,
        "visibility": symbol.visibility if symbol else None,
        "section": section.name if section else None,
        "size": symbol.size if symbol else None,
    }


def _wrapper(facts: ArtifactFacts, wrapper: WrapperFacts) -> dict[str, Any]:
    section = facts.section_of(wrapper.place)
    return {
        "backend": wrapper.backend,
        "container": wrapper.container,
        "version": wrapper.version,
        "section": section.name if section else None,
        "offset": wrapper.place.offset,
        "device_linked": wrapper.is_device_linked,
        "problem": wrapper.problem,
    }
