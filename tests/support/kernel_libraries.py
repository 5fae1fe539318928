"""Kernel libraries that tests build without CMake."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kbuild import resources
from kbuild.stages.compile import compile_edge
from kbuild.stages.edges import BuildPlan, write_plan
from kbuild.stages.pack import pack_target
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec

BuildKernelLibrary = Callable[..., Path]


def make_library_builder(tmp_path_factory: pytest.TempPathFactory) -> BuildKernelLibrary:
    """Return a function that builds a library in a new directory."""

    def build(
        sources: Mapping[str, str],
        *,
        target: str = "kernels",
        others: Mapping[str, Mapping[str, str]] | None = None,
        flags: DeviceFlags | None = None,
        link_options: tuple[str, ...] = (),
        **settings: Any,
    ) -> Path:
        """Build a shared object from kernel sources without CMake, in a second or two.

        Args:
            sources: The texts of the sources by file name.
            target: The target's name.
            others: The sources of more targets in the same library, by target name.
            flags: The flags that device code is compiled with.
            link_options: Options for linking the library.
            settings: Fields of TargetSpec. By default, the only architecture is the one that
                every x86-64 machine runs.
        """
        directory = tmp_path_factory.mktemp(target)
        settings = {"architectures": ("x86-64",), **settings}
        plans = [
            _build_target(directory / name, name, texts, settings, flags or DeviceFlags())
            for name, texts in {target: sources, **(others or {})}.items()
        ]
        library = directory / f"lib{target}.so"
        _link(plans, library, link_options)
        return library

    return build


def _build_target(
    directory: Path,
    name: str,
    sources: Mapping[str, str],
    settings: Mapping[str, Any],
    flags: DeviceFlags,
) -> BuildPlan:
    directory.mkdir()
    for file_name, text in sources.items():
        (directory / file_name).write_text(text)
    plan = plan_target(
        TargetSpec(
            name=name,
            kind="shared",
            backend="cpu",
            sources=tuple(directory / file_name for file_name in sources),
            source_root=directory,
            output_directory=directory / "out",
            **settings,
        )
    )
    write_plan(plan)
    for edge in plan.edges:
        compile_edge(edge, flags)
    pack_target(plan.pack)
    return plan


def _link(plans: list[BuildPlan], library: Path, options: tuple[str, ...]) -> None:
    runtime = resources.find_runtime("libkbuild_cpu.so.1")
    subprocess.run(
        [
            *("gcc", "-shared", "-fPIC", "-I", resources.native_directory() / "include"),
            *(plan.pack.stub for plan in plans),
            *("-o", library, runtime, f"-Wl,-rpath,{runtime.parent}"),
            *options,
        ],
        check=True,
    )
