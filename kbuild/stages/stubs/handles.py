"""Generate the file that defines the handles of a mixed source, which its host text includes."""

from __future__ import annotations

from kbuild import __version__
from kbuild.backends.interface.mixed import Entries
from kbuild.cxx.rewriting import marks
from kbuild.model import Visibility
from kbuild.stages.render import render


def render_handles(  # noqa: PLR0913 - what the file consists of
    entries: Entries,
    names: tuple[str, ...],
    module: str,
    visibility: Visibility,
    source: str,
    *,
    has_weak_instances: bool = False,
) -> bytes:
    """Generate the definitions of handles and shadows.

    For the entry at position ``i``, they define ``kbuild_handle_<module>_<i>``, an alias of the
    handle, or ``kbuild_shadow_<module>_<i>``, a slot with the address of the shadow. For an
    instance of a template, the first one is a slot with the address of the handle, too. Only this
    linked file sees them. The stub unit refers to them, can define the debug stubs
    ``kbuild_stub_<module>_<i>``, and defines ``kbuild_prepare_<module>`` if the target has managed
    variables.

    Args:
        entries: The kernels and variables of the source.
        names: The symbol by which the kernel table names each kernel's handle.
        module: The part of the names that is unique to the source.
        visibility: The visibility of what other files can name.
        source: The name of the source.
        has_weak_instances: Whether the instances of templates that the source does not instantiate
            explicitly have weak handles, instead of local ones.
    """
    kernels = _list_kernels(entries, names, module)
    variables = _list_variables(entries, module)
    return render(
        "handles.h.j2",
        {
            "version": __version__,
            "source": source,
            "module": module,
            "visibility": visibility,
            "declarations": entries.declarations,
            "follows_assembly": entries.follows_assembly,
            "kernels": kernels,
            "variables": variables,
            "has_instances": any(row["is_instance"] for row in kernels),
            "has_weak_instances": has_weak_instances,
            "mark": marks.MARK,
            "mark_instances": marks.FUNCTION,
            "operand_macros": marks.OPERAND_MACROS,
            "has_expressions": any(row["expression"] for row in (*kernels, *variables)),
        },
    )


def _list_kernels(
    entries: Entries, names: tuple[str, ...], module: str
) -> tuple[dict[str, object], ...]:
    return tuple(
        {
            "device_name": kernel.device_name,
            "name": name,
            "symbol": kernel.symbol or kernel.device_name,
            "is_emitted_by_clang": kernel.is_emitted_by_clang,
            "expression": kernel.expression,
            "is_external": kernel.linkage == "external",
            "is_instance": kernel.linkage == "weak",
            "alias": f"kbuild_handle_{module}_{index}",
            "stub": f"kbuild_stub_{module}_{index}",
        }
        for index, (kernel, name) in enumerate(zip(entries.kernels, names, strict=True))
    )


def _list_variables(entries: Entries, module: str) -> tuple[dict[str, object], ...]:
    return tuple(
        {
            "device_name": variable.device_name,
            "symbol": variable.symbol or variable.device_name,
            "expression": variable.expression,
            "is_exported": variable.linkage == "external",
            "is_managed": variable.kind == "managed",
            "size": variable.size,
            "slot": f"kbuild_shadow_{module}_{index}",
        }
        for index, variable in enumerate(entries.variables)
    )
