"""Tests for planning the edges of a target."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kbuild import resources
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.stages.edges import BuildPlan, read_link, write_plan
from kbuild.stages.plan import plan_target
from kbuild.stages.target import TargetSpec
from support.commands import run


def plan(directory: Path, **changes: Any) -> BuildPlan:
    settings: dict[str, Any] = {
        "name": "t",
        "kind": "shared",
        "backend": "cpu",
        "sources": (directory / "a.cu", directory / "b.cu"),
        "source_root": directory,
        "output_directory": directory / "out",
        "architectures": ("x86-64", "x86-64-v3"),
        "stub_suffix": ".cpp",
        **changes,
    }
    return plan_target(TargetSpec(**settings))


def test_each_source_and_architecture_has_one_compile_edge(tmp_path: Path) -> None:
    found = plan(tmp_path)

    assert [(edge.display_source, edge.arch) for edge in found.edges] == [
        ("a.cu", "x86-64"),
        ("a.cu", "x86-64-v3"),
        ("b.cu", "x86-64"),
        ("b.cu", "x86-64-v3"),
    ]
    assert found.links == ()
    assert not any(edge.relocatable for edge in found.edges)
    assert found.pack.compiled == tuple(edge.stamp for edge in found.edges)
    assert found.pack.prelinked == ()


def test_architectures_of_other_backends_are_left_out(tmp_path: Path) -> None:
    found = plan(tmp_path, architectures=("cuda:90", "cpu:x86-64", "hip:gfx90a:xnack-"))
    default = plan(tmp_path, architectures=("cuda:90",))

    assert {edge.arch for edge in found.edges} == {"x86-64"}
    assert {edge.arch for edge in default.edges} >= {"x86-64"}
    with pytest.raises(
        ConfigurationError, match=r"put the name of the backend in front .* cuda:80"
    ):
        plan(tmp_path, architectures=("90",))


def test_each_architecture_has_one_device_link(tmp_path: Path) -> None:
    found = plan(tmp_path, rdc="ON")

    assert all(edge.relocatable for edge in found.edges)
    assert [link.arch for link in found.links] == ["x86-64", "x86-64-v3"]
    assert [path.name for path in found.links[0].compiled] == [
        "a.cu.x86-64.json",
        "b.cu.x86-64.json",
    ]
    assert found.pack.compiled == tuple(link.stamp for link in found.links)
    assert found.pack.prelinked == tuple(edge.stamp for edge in found.edges)


def test_device_link_is_read_back_from_its_handoff_file(tmp_path: Path) -> None:
    found = plan(tmp_path, rdc="ON")

    write_plan(found)

    assert tuple(read_link(link.handoff) for link in found.links) == found.links


@pytest.mark.parametrize(("kind", "runtime"), [("shared", "static"), ("object", "bundle")])
def test_runtime_that_a_kind_of_library_cannot_have_is_rejected(
    tmp_path: Path, kind: str, runtime: str
) -> None:
    with pytest.raises(ConfigurationError, match="use RUNTIME shared"):
        plan(tmp_path, kind=kind, runtime=runtime)


def test_compiler_launcher_affects_only_compile_edges(tmp_path: Path) -> None:
    with_launcher = plan(tmp_path, launcher=("env", "-i"), launchers=(("CXX", "no-such-cache"),))
    without = plan(tmp_path, launcher=(), launchers=(("CXX", "no-such-cache"),))

    assert {edge.compiler_launcher[1:] for edge in with_launcher.edges} == {("-i",)}
    assert {edge.compiler_launcher for edge in without.edges} == {()}
    assert with_launcher.pack == without.pack


@pytest.mark.parametrize("name", ["$(touch pwn)", "a`b", 'a"b'])
def test_path_that_a_shell_would_expand_is_rejected(tmp_path: Path, name: str) -> None:
    # Paths are checked first, so this test does not need nvcc.
    with pytest.raises(ConfigurationError, match=r"SOURCES: .*rename it"):
        plan(tmp_path, backend="cuda", sources=(tmp_path / name / "a.cu",))
    with pytest.raises(ConfigurationError, match=r"the build directory: .*rename it"):
        plan(tmp_path, backend="cuda", output_directory=tmp_path / name)


def test_output_path_that_lld_misreads_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"the build directory: .* take '%'"):
        plan(tmp_path, backend="hip", output_directory=tmp_path / "a%b")


def test_error_contains_the_keyword_that_caused_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        plan(tmp_path, architectures=("x86-64-v9",))

    assert caught.value.setting == "ARCHITECTURES"


def test_missing_host_compiler_is_an_error_of_its_keyword(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        plan(tmp_path, host_compiler="/no/such/g++")

    assert caught.value.setting == "HOST_COMPILER"


def test_outputs_of_deeply_nested_sources_have_short_names(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["directory" * 4] * 6)

    found = plan(tmp_path, sources=(deep / "a.cu", deep / "b.cu"), architectures=("x86-64",))

    names = [edge.output.name for edge in found.edges]
    assert len(set(names)) == 2
    assert max(map(len, names)) < 160


def test_source_after_a_symbolic_link_keeps_its_path(tmp_path: Path) -> None:
    (tmp_path / "far/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far/inner")
    sources = (tmp_path / "link/../a.cu", tmp_path / "a.cu")

    found = plan(tmp_path, sources=sources, architectures=("x86-64",))

    assert [edge.display_source for edge in found.edges] == [str(sources[0]), "a.cu"]


def test_option_that_makes_a_cross_compiler_is_an_error(tmp_path: Path) -> None:
    """The plan's compiler is for this machine, and kbuild would run it without the option."""
    with pytest.raises(ConfigurationError, match=r"CMAKE_CXX_COMPILER_TARGET is riscv64-linux-gnu"):
        plan(tmp_path, compiler_target="riscv64-linux-gnu")
    assert plan(tmp_path, compiler_target=f"{os.uname().machine}-linux-gnu").edges


def test_each_pool_of_jobs_has_its_largest_number(tmp_path: Path) -> None:
    """Ninja rejects two pools of a name. What compiles need is measured between two calls."""
    script = tmp_path / "pools.cmake"
    script.write_text(
        "cmake_minimum_required(VERSION 3.22...4.0)\n"
        f"include({resources.cmake_directory() / 'KbuildPlan.cmake'})\n"
        "set(words cpu 7 3 3 cpu 5 cpu 10 cpu 5)\n"
        "while(words)\n"
        "    list(POP_FRONT words name jobs)\n"
        "    _kbuild_add_pool(kbuild_device_${name} ${jobs})\n"
        "endwhile()\n"
        "get_property(pools GLOBAL PROPERTY JOB_POOLS)\n"
        'message("${pools}")\n'
    )

    assert run("cmake", "-P", script).stderr == "kbuild_device_3=3;kbuild_device_cpu=10\n"
