"""What end-to-end tests share."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from accuracy.workshop import Workshop
from projects import ROOT, configure_and_build, pip
from recorded_hip import build_recorder

from kbuild import resources
from kbuild.stages.compile import compile_edge
from kbuild.stages.edges import BuildPlan, write_plan
from kbuild.stages.pack import pack_target
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec

BuildKernelLibrary = Callable[..., Path]


@pytest.fixture(scope="session")
def build_kernel_library(tmp_path_factory: pytest.TempPathFactory) -> BuildKernelLibrary:
    """Builds a shared object from kernel sources, without CMake: a second or two each."""

    def build(
        sources: Mapping[str, str],
        *,
        target: str = "kernels",
        others: Mapping[str, Mapping[str, str]] | None = None,
        stripped: bool = False,
        flags: DeviceFlags | None = None,
        **settings: Any,
    ) -> Path:
        """``sources`` by file name; ``others`` are further targets in the same library.

        ``settings`` are fields of TargetSpec that differ from the usual ones; the usual
        architecture is the one that every machine runs.
        """
        folder = tmp_path_factory.mktemp(target)
        settings = {"architectures": ("x86-64",), **settings}
        plans = [
            _build_target(folder / name, name, texts, settings, flags or DeviceFlags())
            for name, texts in {target: sources, **(others or {})}.items()
        ]
        library = folder / f"lib{target}.so"
        _link(plans, library)
        if stripped:
            subprocess.run(["strip", "--strip-all", library], check=True)
        return library

    return build


def _share_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that all workers of this run have in common."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Where the files of `accuracy` are built, each once a run."""
    return Workshop(folder=_share_folder(tmp_path_factory, "workshop"))


@pytest.fixture(scope="session")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of this very kbuild, which all workers share."""
    folder = _share_folder(tmp_path_factory, "wheelhouse")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("*.whl")):
            source = tmp_path_factory.mktemp("source") / "kbuild"
            _copy_checkout(source)
            pip(sys.executable, "wheel", source, "--no-deps", "--wheel-dir", folder)
    return folder


@pytest.fixture(scope="session")
def hip_recorder(workshop: Workshop) -> Path:
    """A folder with a library in the place of AMD's runtime, which records and runs nothing."""
    return workshop.file("hip_recorder/lib", build_recorder)


@pytest.fixture(scope="session")
def hip_launch(workshop: Workshop) -> Path:
    """The build folder of ``hip_launch/``, for the tests that need hipcc."""
    project = Path(__file__).parent / "hip_launch"
    return workshop.file("hip_launch/build", lambda path: configure_and_build(project, path))


def _copy_checkout(to: Path) -> None:
    """What is or would be committed: no build outputs."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in listing.splitlines():
        if (ROOT / name).is_file():
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)


def _build_target(
    folder: Path,
    name: str,
    sources: Mapping[str, str],
    settings: Mapping[str, Any],
    flags: DeviceFlags,
) -> BuildPlan:
    folder.mkdir()
    for file_name, text in sources.items():
        (folder / file_name).write_text(text)
    plan = plan_target(
        TargetSpec(
            name=name,
            kind="shared",
            backend="cpu",
            sources=tuple(folder / file_name for file_name in sources),
            source_root=folder,
            output_directory=folder / "out",
            **settings,
        )
    )
    write_plan(plan)
    for edge in plan.edges:
        compile_edge(edge, flags)
    pack_target(plan.pack)
    return plan


def _link(plans: list[BuildPlan], library: Path) -> None:
    runtime = resources.find_runtime("libkbuild_cpu.so.1")
    subprocess.run(
        [
            *("gcc", "-shared", "-fPIC", "-I", resources.native_directory() / "include"),
            *(plan.pack.stub for plan in plans),
            *("-o", library, runtime, f"-Wl,-rpath,{runtime.parent}"),
        ],
        check=True,
    )
