"""Generate the stub unit and the headers of a target.

This module only makes table rows. The text is in the templates, and the behavior is in hand-written
headers that the generated text includes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kbuild import __version__
from kbuild.demangle.names import split_function
from kbuild.model import InitialContent, KernelRecord, TargetRecord
from kbuild.stages.bindings.names import identifier
from kbuild.stages.render import c_string, render
from kbuild.stages.stubs.debug import describe_stubs, names_project_types, uses_vector_types
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StubInputs:
    """The inputs of a stub unit.

    ``spans`` are the offset and size of each container in the fat binary, in bytes. ``initials``
    have one entry per variable; see `VariableTable`. ``handles``, ``stub_aliases``, and ``shadows``
    are the symbols by which the unit refers to the handles, names the stubs, and refers to the
    slots of the shadows that host texts define; all are empty if the unit defines them itself.
    ``modules`` are the parts of generated names that belong to the mixed sources.

    ``link_id`` is the end of the names by which a later device link finds the object, if there is
    one. ``linked_ids`` are those of the objects whose device code the unit registers, if
    it is the result of a device link. Another device link can replace it if ``is_replaceable``.
    """

    table: TargetRecord
    headers: tuple[Path, ...]
    registration_header: str
    section: str
    fat_binary: Path
    fat_binary_sha256: str
    spans: tuple[tuple[int, int], ...]
    kernel_table: Path
    kernel_table_sha256: str
    kernel_table_size: int
    alignment: int = 8
    initials: tuple[InitialContent | None, ...] = ()
    handles: tuple[str, ...] = ()
    stub_aliases: tuple[str, ...] = ()
    shadows: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    link_id: str | None = None
    linked_ids: tuple[str, ...] = ()
    is_replaceable: bool = False


def render_stub_unit(inputs: StubInputs) -> bytes:
    """Generate the host source with handles, descriptor, note, and registration.

    Without debug stubs, it compiles as C and as C++.
    """
    table = inputs.table
    containers = tuple(zip(inputs.spans, table.containers, strict=True))
    spans = [span for span, container in containers if not container.is_prelinked]
    prelinked = [span for span, container in containers if container.is_prelinked]
    return render(
        "stub_unit.c.j2",
        {
            "version": __version__,
            "target": table.target,
            "backend": table.backend,
            "visibility": table.visibility,
            "module": f"kbuild_module_{identifier(table.target)}",
            "registration_header": inputs.registration_header,
            "section": inputs.section,
            "link_id": inputs.link_id,
            "is_replaceable": inputs.is_replaceable,
            "linked_ids": inputs.linked_ids,
            "alignment": inputs.alignment,
            "fat_binary": _assembler_path(inputs.fat_binary),
            "fat_binary_sha256": inputs.fat_binary_sha256,
            "kernel_table": _assembler_path(inputs.kernel_table),
            "kernel_table_sha256": inputs.kernel_table_sha256,
            "kernel_table_size": inputs.kernel_table_size,
            "spans": spans,
            "prelinked": prelinked,
            "kernels": table.kernels,
            "variables": table.variables,
            "initials": {
                index: (_assembler_path(initial.path), initial.offset, initial.size)
                for index, initial in enumerate(inputs.initials)
                if initial is not None
            },
            "handles": inputs.handles,
            "instances": [
                index
                for index, kernel in enumerate(table.kernels)
                if kernel.linkage == "weak"  # as in the file of handles
            ],
            "stub_aliases": inputs.stub_aliases,
            "shadows": inputs.shadows,
            "modules": inputs.modules,
            # With a device link, other objects can define managed variables that this one uses.
            "has_managed": bool(inputs.link_id or inputs.linked_ids)
            or any(variable.kind == "managed" for variable in table.variables),
            "headers": inputs.headers,
            "has_vector_types": uses_vector_types(table.kernels),
            "stubs": describe_stubs(table, has_headers=bool(inputs.headers)),
        },
    )


def _assembler_path(path: Path) -> str:
    """Quote a path as an assembler string inside a C string. Both languages have escapes."""
    quoted = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return c_string(f'"{quoted}"')[1:-1]


def render_cpp_header(
    table: TargetRecord,
    headers: tuple[Path, ...],
    host_header: str | None,
    inline_namespaces: frozenset[str] = frozenset(),
) -> bytes:
    """Generate the header for C++ hosts, which takes types from the target's HEADERS.

    Args:
        table: The kernels.
        headers: The target's HEADERS.
        host_header: The header of the backend's host API, if it has one.
        inline_namespaces: The qualified names of the inline namespaces around the kernels.
    """
    declared: list[Mapping[str, Any]] = []
    omitted: list[Mapping[str, Any]] = []
    for kernel in table.kernels:
        row = _cpp_declaration(kernel, inline_namespaces, has_headers=bool(headers))
        (declared if "declarator" in row else omitted).append(row)
    return render(
        "kernels.hpp.j2",
        {
            "target": table.target,
            "host_header": host_header,
            "headers": headers,
            "has_vector_types": uses_vector_types(table.kernels),
            "declared": declared,
            "omitted": omitted,
        },
    )


def _cpp_declaration(
    kernel: KernelRecord, inline_namespaces: frozenset[str], *, has_headers: bool
) -> Mapping[str, Any]:
    """Return a row with a ``declarator``, or with the ``reason`` why there is no declaration."""
    qualified, _ = split_function(kernel.display)
    *namespaces, name = qualified.split("::") if "<" not in qualified else [qualified]
    types = [param.type for param in kernel.params]
    reason = None
    if kernel.linkage == "internal":
        reason = "internal linkage"
    elif "<" in qualified:
        reason = "an instance of a template; declare the template in your own header"
    elif None in types:
        reason = "the device image does not contain its parameter types"
    elif not has_headers and any(names_project_types(t) for t in types if t):
        reason = "it has parameter types of the project; list their header in HEADERS"
    if reason is not None:
        return {"display": kernel.display, "reason": reason}
    return {
        "display": kernel.display,
        "namespaces": _open_namespaces(namespaces, inline_namespaces),
        "is_c": kernel.handle == name,
        "declarator": f"{name}({', '.join(t for t in types if t)})",
    }


def _open_namespaces(names: list[str], inline_namespaces: frozenset[str]) -> list[str]:
    """Return the heads of the namespaces to open. C++17 allows ``inline`` in front of one name."""
    heads: list[str] = []
    for depth, name in enumerate(names, 1):
        if "::".join(names[:depth]) in inline_namespaces:
            heads.append(f"inline namespace {name}")
        elif heads and not heads[-1].startswith("inline"):
            heads[-1] += f"::{name}"
        else:
            heads.append(f"namespace {name}")
    return heads
