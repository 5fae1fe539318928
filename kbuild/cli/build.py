"""``kbuild build``: the targets of a manifest, by CMake and ninja."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cmake_project import (
    CMakeBuild,
    configure_and_build,
    find_build_tools,
    write_project,
)
from kbuild.manifest import Manifest, find_manifest, read_manifest
from kbuild.verify.policy import load_policy

HELP = "Build the targets of kbuild.toml, or of [tool.kbuild] in pyproject.toml."
OUTPUT: Final = Path("build") / "kbuild"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="build only these")
    parser.add_argument("-f", dest="manifest", type=Path, metavar="FILE", help="the manifest")
    parser.add_argument("-o", dest="output", type=Path, metavar="DIR", help="where outputs go")
    parser.add_argument("-j", dest="jobs", type=int, metavar="N", help="parallel jobs")


def check_policies(manifest: Manifest) -> None:
    """Read every policy before anything is built that it would judge.

    The first baseline is written of what is built: that one is missing is said later.
    """
    for target in manifest.targets:
        if target.table.policy:
            load_policy(manifest.root / target.table.policy, reads_baseline=False)
    if manifest.policy:
        load_policy(manifest.policy, reads_baseline=False)


def run(arguments: argparse.Namespace) -> int:
    """Write the CMake project, build it, and say where the artifacts are."""
    manifest = read_manifest(arguments.manifest or find_manifest(Path.cwd()))
    check_policies(manifest)
    output = (arguments.output or manifest.root / OUTPUT).absolute()
    names = tuple(arguments.targets)
    project = CMakeBuild(
        source=write_project(manifest, output, names=names),
        build=output / "cmake",
        definitions=("CMAKE_BUILD_TYPE=Release",),
        targets=tuple(f"{name}_all" for name in names),
        jobs=arguments.jobs,
    )
    configure_and_build(project, find_build_tools())
    for target in manifest.targets:
        if not names or target.name in names:
            print(output / target.name)
    return 0
