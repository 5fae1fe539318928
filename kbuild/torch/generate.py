"""Generate the CMake project of PyTorch extensions."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbuild.project.directory import BuildDirectory
from kbuild.project.environment import predict_compilers
from kbuild.project.generate import GeneratedProject, describe_target
from kbuild.project.manifest.tables import Manifest, ProfileTable
from kbuild.stages.render import render
from kbuild.torch.extension import TorchTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchProject:
    """The extensions of a ``setup.py``, with their common settings.

    Attributes:
        root: The directory of ``setup.py``.
        targets: The extensions.
        nvcc: The nvcc of torch's toolkit, or None if no extension has a kernel source.
        verify: Whether the build verifies the extensions.
    """

    root: Path
    targets: tuple[TorchTarget, ...]
    nvcc: Path | None
    verify: bool = True


def locate_extension(directory: BuildDirectory, target: TorchTarget) -> Path:
    """Return the path of the shared object in the build directory."""
    return directory.root / target.name / target.file_name


def generate_project(project: TorchProject, directory: BuildDirectory) -> GeneratedProject:
    """Return the CMake project of extensions.

    Raises:
        ToolchainError: CXX names a compiler that does not exist.
    """
    parts = [part for t in project.targets for part in (t.host, t.kernels) if part]
    kernel_targets = tuple(target.kernels.name for target in project.targets if target.kernels)
    manifest = Manifest(root=project.root, targets=tuple(parts))
    described = {part.name: describe_target(manifest, part, ProfileTable()) for part in parts}
    rows = {
        "inputs": (directory.environment, *directory.list_compiler_files(kernel_targets)),
        "nvcc": project.nvcc,
        "source_root": project.root,
        "verify": project.verify,
        "rows": [_describe_extension(t, described, directory) for t in project.targets],
    }
    return GeneratedProject(
        content=render("torch.cmake.j2", rows),
        targets=tuple(target.name for target in project.targets),
        kernel_targets=kernel_targets,
        compilers=tuple(predict_compilers(())),
    )


def _describe_extension(
    target: TorchTarget, described: Mapping[str, Mapping[str, Any]], directory: BuildDirectory
) -> dict[str, object]:
    artifact = locate_extension(directory, target)
    host = described[target.host.name]
    # CMake removes options that it has seen before, but not from a group.
    options = f"SHELL:{shlex.join(target.host.table.host_options)}"
    return {
        "target": target,
        "host": {**host, "commands": {**host["commands"], "target_compile_options": (options,)}},
        "kernels": target.kernels and described[target.kernels.name],
        "directory": artifact.parent,
        "stem": artifact.stem,
        "suffix": artifact.suffix,
        # The order of libraries matters, so they are one fragment of the command line. CMake
        # does not quote fragments for ninja.
        "link_words": shlex.join(target.link_words).replace("$", "$$"),
    }
