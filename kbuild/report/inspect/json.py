"""The versioned JSON of `kbuild inspect`. Its field names are a contract."""

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
from kbuild.model import Kernel, Param, Resources, TargetRecord
from kbuild.records import to_json

INSPECT_SCHEMA: Final = "kbuild.inspect/1"


def render_artifacts(
    artifacts: Sequence[ArtifactFacts], errors: Sequence[tuple[str, str]] = ()
) -> str:
    """Return the text that `iterate_artifacts` yields."""
    return "".join(iterate_artifacts(artifacts, errors))


def iterate_artifacts(
    artifacts: Sequence[ArtifactFacts], errors: Sequence[tuple[str, str]] = ()
) -> Iterator[str]:
    """Yield the JSON document of `kbuild inspect` in parts.

    Large libraries have tens of thousands of kernels. The complete text would take more memory
    than reading the libraries did.

    Args:
        artifacts: The facts to show.
        errors: The path and the message of each file that could not be read.
    """
    yield f'{{"schema": {json.dumps(INSPECT_SCHEMA)}, "artifacts": ['
    for number, facts in enumerate(artifacts):
        yield "," if number else ""
        yield from _artifact(facts)
    rows = [{"path": path, "message": message} for path, message in errors]
    yield f'], "errors": {json.dumps(rows)}}}\n'


def _artifact(facts: ArtifactFacts) -> Iterator[str]:
    front = {
        "path": facts.path,
        "kind": facts.kind,
        "machine": facts.machine,
        "sha256": facts.sha256,
        "kbuild": _kbuild(facts.modules) if facts.modules else None,
    }
    yield "\n" + _open(front) + ', "images": ['
    spelled: dict[int, str] = {}
    for number, image in enumerate(facts.images):
        yield (",\n " if number else "\n ") + _open(_image(facts, image)) + ', "kernels": '
        yield from _kernels(image, facts.is_summary, spelled)
        yield "}"
    back = {
        "handles": [
            *_handles(facts),
            *(_host_kernel(facts, kernel) for kernel in facts.host_kernels),
        ],
        "wrappers": [_wrapper(facts, wrapper) for wrapper in facts.wrappers],
        "runtimes": [to_json(runtime) for runtime in facts.runtimes],
        "variables": [to_json(v) for module in facts.modules for v in module.record.variables],
    }
    yield "],\n " + json.dumps(back)[1:]


def _kbuild(modules: tuple[ModuleFacts, ...]) -> dict[str, Any]:
    record = modules[0].record
    compile_facts = [row for module in modules for row in _compile(module.record)]
    return {"version": record.version, "target": record.target, "compile": compile_facts}


def _compile(record: TargetRecord) -> Iterator[dict[str, Any]]:
    for number, compiler in enumerate(record.compilers):
        yield {
            "target": record.target,
            "compiler": compiler.name,
            "version": compiler.version,
            "options": compiler.options,
            "architectures": record.architectures_of(number),
        }


def _open(fields: dict[str, Any]) -> str:
    """Return a JSON object without its closing brace."""
    return json.dumps(fields)[:-1]


def _kernels(image: ImageFacts, is_summary: bool, spelled: dict[int, str]) -> Iterator[str]:
    if is_summary:
        yield "null"
        return
    yield "["
    for number, kernel in enumerate(image.kernels):
        # Images of one source share the parameters of their kernels.
        params = spelled.get(id(kernel.params))
        if params is None:
            params = spelled[id(kernel.params)] = json.dumps(list(map(_param, kernel.params)))
        yield (",\n  " if number else "\n  ") + _open(_names(kernel))
        execution = json.dumps(kernel.execution)
        yield f', "execution": {execution}, "params": {params}, '
        yield json.dumps(_resources(kernel.resources))[1:]
    yield "]"


def _param(param: Param) -> dict[str, Any]:
    fields = {"index": param.index, "offset": param.offset, "size": param.size, "type": param.type}
    # Only the images of one vendor state the kind, and large libraries have many parameters.
    return fields if param.kind is None else {**fields, "kind": param.kind}


def _image(facts: ArtifactFacts, image: ImageFacts) -> dict[str, Any]:
    # Few files have input of a device link.
    part = {"is_relocatable": True} if facts.containers[image.container].is_relocatable else {}
    return {
        "backend": image.backend,
        "arch": image.arch,
        "kind": image.kind,
        "compression": image.compression,
        "size": image.size,
        "stored_size": image.stored_size,
        "container": image.container,
        **part,
        "ptx_version": image.ptx_version,
        "object_version": image.object_version,
    }


def _names(kernel: Kernel) -> dict[str, Any]:
    return {"name": kernel.name, "display": kernel.display}


def _resources(resources: Resources) -> dict[str, Any]:
    return {
        "registers": resources.registers,
        "shared_bytes": resources.shared_bytes,
        "local_bytes": resources.local_bytes,
        "spill_bytes": resources.spill_bytes,
        "max_threads": resources.max_threads,
        "constant_bytes": resources.constant_bytes,
        "code_bytes": resources.code_bytes,
        "scalar_registers": resources.scalar_registers,
        "accumulation_registers": resources.accumulation_registers,
        "spilled_registers": resources.spilled_registers,
        "spilled_scalar_registers": resources.spilled_scalar_registers,
        "wavefront_size": resources.wavefront_size,
        "required_block": resources.required_block,
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
    """Return whether the constructor registers this very handle, or None if unknown."""
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
        "awaits": wrapper.awaits,
        "problem": wrapper.problem,
    }
