"""Tests for the edges and the decisions that CMake finds in ``plan.cmake``."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ConfigurationError
from kbuild.stages.calls.cmake_edges import CMakeEdge, ConfiguredPlan, list_edges
from kbuild.stages.calls.cmake_plan import render_plan
from kbuild.stages.calls.kernels import KernelCall
from kbuild.stages.edges import BuildPlan, CompileEdge, LinkEdge, PackPlan
from kbuild.stages.mixed.edge import HostEdge
from support.calls import add_kernels, add_sources

TOOLCHAIN = Toolchain(backend="cpu", compiler=Path("/usr/bin/c++"), compiler_id="gcc", version="12")


def make_plan(directory: Path, *, is_mixed: bool = False, is_linked: bool = False) -> BuildPlan:
    """Return the plan of a target with one source and one architecture."""
    common: dict[str, Any] = {"kbuild_version": "0", "toolchain": TOOLCHAIN}
    host = HostEdge(
        **common,
        source=Path("/src/a.cu"),
        display_source="a.cu",
        module="m",
        device_standard=17,
        architectures=("x",),
        output=directory / "a",
        compiler=Path("/usr/bin/c++"),
        compiler_id="GNU",
    )
    edge = CompileEdge(
        **common,
        source=Path("/src/a.cu"),
        display_source="a.cu",
        arch="x",
        device_standard=17,
        output=directory / "a.x",
        key=host.key if is_mixed else None,
    )
    link = LinkEdge(
        **common, target="t", arch="x", compiled=(edge.stamp,), output=directory / "t.linked"
    )
    pack = PackPlan(
        **common,
        target="t",
        backend="cpu",
        visibility="hidden",
        headers=(),
        compiled=(edge.stamp,),
        output_directory=directory,
        stub_suffix=".cpp",
    )
    return BuildPlan(
        edges=(edge,),
        links=(link,) if is_linked else (),
        pack=pack,
        runtime_target="kbuild::runtime_cpu",
        editor_options=("-x", "c++"),
        device_jobs=7,
        hosts=(host,) if is_mixed else (),
        host_options=("-std=gnu++17",),
    )


def edges_of(call: KernelCall, plan: BuildPlan, configuration: str = "") -> dict[str, CMakeEdge]:
    configured = ConfiguredPlan(call=call, configuration=configuration, plan=plan, pool="pool")
    return {edge.command: edge for edge in list_edges(configured)}


def render(call: KernelCall, plan: BuildPlan) -> str:
    return render_plan(call, {"": plan}).decode()


def test_kernel_source_has_a_compile_edge(tmp_path: Path) -> None:
    edges = edges_of(add_kernels(tmp_path, "SOURCES", "a.cu"), make_plan(Path("/out")))

    assert list(edges) == ["compile", "pack"]
    compiled = edges["compile"]
    assert compiled.outputs == ("/out/a.x.json",)
    assert compiled.depends == ("/src/a.cu", "/out/a.x.edge", "/out/flags.CXX.txt")
    assert compiled.options == ("--flags", "/out/flags.CXX.txt")
    assert compiled.depfile == Path("/out/a.x.d")
    assert compiled.pool == "pool"
    assert edges["pack"].depends == ("/out/a.x.json", "/out/t.pack")
    assert edges["pack"].pool is None


def test_mixed_source_is_preprocessed_first(tmp_path: Path) -> None:
    plan = make_plan(Path("/out"), is_mixed=True)

    edges = edges_of(add_sources(tmp_path, "PRIVATE", "a.cu"), plan)

    assert list(edges) == ["preprocess", "host-pass", "compile", "pack"]
    assert edges["preprocess"].outputs == ("/out/a.preprocessed", "/out/a.key")
    assert edges["host-pass"].depends == ("/out/a.preprocessed",)
    assert edges["compile"].depends[0] == "/out/a.key"
    assert "/out/a.handles.h" in edges["pack"].byproducts


def test_device_link_of_mixed_sources_waits_for_libraries(tmp_path: Path) -> None:
    mixed = edges_of(
        add_sources(tmp_path, "PRIVATE", "a.cu", "RDC", "ON"),
        make_plan(Path("/out"), is_mixed=True, is_linked=True),
    )
    plain = edges_of(
        add_kernels(tmp_path, "SOURCES", "a.cu", "RDC", "ON"),
        make_plan(Path("/out"), is_linked=True),
    )

    for command in ("device-link", "pack"):
        assert mixed[command].options[-2:] == ("--libraries", "/out/libraries.txt")
        stamps, libraries = mixed[command].depends[-2:]
        assert "_KBUILD_LINKED_STAMPS" in stamps
        assert "_KBUILD_LINKED_FILES" in libraries
        assert "--libraries" not in plain[command].options
    assert plain["device-link"].depends[0] == "/out/a.x.json"
    assert "/out/t.linked.json" in plain["pack"].depends


def test_outputs_are_limited_to_their_configuration(tmp_path: Path) -> None:
    call = add_kernels(tmp_path, "SOURCES", "a.cu")

    edges = edges_of(call, make_plan(Path("/out/Debug")), "Debug")

    assert edges["compile"].outputs == ("$<$<CONFIG:Debug>:/out/Debug/a.x.json>",)
    assert edges["pack"].depends[0] == "$<$<CONFIG:Debug>:/out/Debug/a.x.json>"
    assert edges["compile"].depfile == Path("/out/Debug/a.x.d")


def test_edges_wait_for_generated_headers(tmp_path: Path) -> None:
    call = add_kernels(tmp_path, "SOURCES", "a.cu", "HEADERS", "b.cu", "made.h", generated="5")

    edges = edges_of(call, make_plan(Path("/out")))

    for command in ("compile", "pack"):
        assert edges[command].depends[-1] == f"{tmp_path}/made.h"
        assert f"{tmp_path}/b.cu" not in edges[command].depends


@pytest.mark.parametrize(
    ("facts", "pool"),
    [
        ({}, "_kbuild_add_pool(kbuild_device_cpu 7)"),
        ({"KBUILD_DEVICE_JOBS": "3"}, "_kbuild_add_pool(kbuild_device_3 3)"),
        ({"CMAKE_GENERATOR": "Unix Makefiles", "KBUILD_DEVICE_JOBS": "x"}, None),
    ],
)
def test_pool_is_that_of_the_project_or_the_machine(
    tmp_path: Path, facts: dict[str, str], pool: str | None
) -> None:
    call = add_kernels(tmp_path, "SOURCES", "a.cu", **facts)

    text = render(call, make_plan(Path("/out")))

    assert re.findall(r"_kbuild_add_pool\(.*\)", text) == ([pool] if pool else [])
    assert ("JOB_POOL" in text) == (pool is not None)


@pytest.mark.parametrize("jobs", ["0", "x", "100000", "-1"])
def test_wrong_number_of_jobs_is_rejected(tmp_path: Path, jobs: str) -> None:
    call = add_kernels(tmp_path, "SOURCES", "a.cu", KBUILD_DEVICE_JOBS=jobs)

    with pytest.raises(ConfigurationError, match="expected a number from 1 to 99999"):
        render(call, make_plan(Path("/out")))


def test_only_the_first_call_for_a_target_describes_it(tmp_path: Path) -> None:
    facts = {"target__TYPE": "STATIC_LIBRARY"}
    first = add_sources(tmp_path, "PRIVATE", "a.cu", **facts)
    second = replace(first, name="t_2")
    plan = make_plan(Path("/out"), is_mixed=True)

    assert "cmake_language(DEFER CALL _kbuild_write_pkg_config" in render(first, plan)
    assert "_kbuild_write_pkg_config" not in render(second, plan)
    assert "_kbuild_finish_mixed([=[t]=] [=[t_2]=] STATIC" in render(second, plan)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("RUNTIME", "bundle"), "RUNTIME kbuild::runtime_cpu BUNDLE"),
        (("VERIFY", "ON"), "_kbuild_attach_verification([=[t_verified]=] [=[t]=]"),
        (("MODULE",), "add_library([=[t]=] MODULE)"),
    ],
)
def test_settings_become_arguments(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    plan = make_plan(Path("/out"))
    without = add_kernels(tmp_path, "SOURCES", "a.cu", "VERIFY", "OFF")

    assert expected in render(add_kernels(tmp_path, *words, "SOURCES", "a.cu"), plan)
    assert expected not in render(without, plan)
