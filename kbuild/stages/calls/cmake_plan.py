"""Write ``plan.cmake``, in which CMake finds the edges of a call and what the call decides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kbuild import resources
from kbuild.backends import select_values
from kbuild.errors import ConfigurationError
from kbuild.stages.calls.cmake_edges import ConfiguredPlan, list_edges
from kbuild.stages.calls.flags import (
    describe_device_flags,
    describe_host_flags,
    describe_libraries,
)
from kbuild.stages.calls.kernels import KernelCall
from kbuild.stages.calls.record import CallRecord
from kbuild.stages.calls.specs import locate_target
from kbuild.stages.edges import BuildPlan

_TEMPLATE: Final = "plan.cmake.j2"
_JOBS: Final = "KBUILD_DEVICE_JOBS"


def render_plan(call: KernelCall, plans: Mapping[str, BuildPlan]) -> bytes:
    """Return the content of ``plan.cmake``.

    Args:
        call: The call.
        plans: The plan of each configuration, by its name.

    Raises:
        ConfigurationError: A variable of the project has a wrong value.
    """
    from kbuild.stages.render import render  # noqa: PLC0415 - slow to import

    first = next(iter(plans.values()))
    multi_config = "" not in plans
    pool = _choose_pool(call.record, first)
    configured = [
        ConfiguredPlan(
            call=call, configuration=configuration, plan=plan, pool=pool[0] if pool else None
        )
        for configuration, plan in plans.items()
    ]
    rows = {
        "call": call,
        "settings": call.settings,
        "backend": first.pack.backend,
        "runtime": first.runtime_target,
        "pool": pool,
        "files": _describe_files(call, first, multi_config=multi_config),
        "plans": configured,
        "edges": [edge for each in configured for edge in list_edges(each)],
        "stamps": [stamp for each in configured for stamp in each.stamps],
        # The flags of the project do not apply to the stub unit.
        "stub_directories": (
            resources.native_directory() / "include",
            *call.settings.include_directories,
        ),
        "header_directories": dict.fromkeys(path.parent for path in call.headers),
        "editor_options": _list_editor_options(call, first),
        "installed_headers": call.record.find("CMAKE_INSTALL_INCLUDEDIR", "include"),
        "pkg_config_directory": _locate_pkg_config(call.record, multi_config=multi_config),
    }
    return render(_TEMPLATE, rows)


def _describe_files(call: KernelCall, plan: BuildPlan, *, multi_config: bool) -> dict[str, str]:
    """Return the contents of the files that CMake generates, by their paths."""
    # The properties can contain $<COMPILE_LANGUAGE>, so each language gets its own file.
    contents = {"flags.$<COMPILE_LANGUAGE>.txt": describe_device_flags(call)}
    if call.is_mixed:
        contents["host_flags.$<COMPILE_LANGUAGE>.txt"] = describe_host_flags(call)
    if call.is_mixed and plan.links:
        contents["libraries.txt"] = describe_libraries(call)
    directory = locate_target(call) / ("$<CONFIG>" if multi_config else "")
    return {f"{directory}/{name}": content for name, content in contents.items()}


def _choose_pool(record: CallRecord, plan: BuildPlan) -> tuple[str, int] | None:
    """Return the name and the size of the Ninja job pool of device edges.

    The project chooses the size, or the machine's memory determines it. Other generators do not
    support pools.
    """
    if not record.find("CMAKE_GENERATOR").startswith("Ninja"):
        return None
    jobs = record.find(_JOBS)
    if not jobs:
        return f"kbuild_device_{plan.pack.backend}", plan.device_jobs
    if not re.fullmatch("[1-9][0-9]{0,4}", jobs):
        raise ConfigurationError(f"{_JOBS} is {jobs!r}; expected a number from 1 to 99999")
    return f"kbuild_device_{jobs}", int(jobs)


def _list_editor_options(call: KernelCall, plan: BuildPlan) -> tuple[str, ...] | None:
    """Return the options with which editors read the sources, or None without an editor target.

    CMake writes no entries of ``compile_commands.json`` for custom commands. Of the target's own
    options, editors need the macros, and clang does not know all others.
    """
    find = call.record.find
    if call.language != "CXX" or not find("CMAKE_EXPORT_COMPILE_COMMANDS"):
        return None
    if find("CMAKE_CUDA_COMPILER_LOADED"):  # the sources have their own language
        return None
    own = (*call.settings.compile_options, *call.record.find_all("KBUILD_DEVICE_FLAGS"))
    macros = (o for o in select_values(own, plan.pack.backend) if o.startswith(("-D", "-U")))
    return (*plan.editor_options, *macros)


def _locate_pkg_config(record: CallRecord, *, multi_config: bool) -> str:
    """Return the directory of the target's file for pkg-config in the build tree."""
    default = f"{record.find('CMAKE_BINARY_DIR')}/kbuild/pkgconfig"
    directory = record.find("KBUILD_PKG_CONFIG_DIRECTORY", default)
    return f"{directory}/$<CONFIG>" if multi_config else directory
