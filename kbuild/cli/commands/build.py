"""``kbuild build``: build the targets of a manifest with CMake and ninja."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import parse_count
from kbuild.cli.build_progress import show_build
from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.project.checks import check_manifest
from kbuild.project.configure import configure_directory
from kbuild.project.directory import DEFAULT_OUTPUT, BuildDirectory, hold_lock
from kbuild.project.generate import BuildSettings, locate_artifact
from kbuild.project.manifest import PROFILES, Manifest, ManifestTarget, find_manifest, read_manifest
from kbuild.project.ninja import NinjaRun, run_ninja
from kbuild.project.tools import find_build_tools
from kbuild.stages.paths import normalize

HELP = "Build the targets of kbuild.toml, or of [tool.kbuild] in pyproject.toml."
_MAX_JOBS: Final = 99999  # the limit in KbuildAddKernels.cmake


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="build only these targets (default: all)"
    )
    add_directory_arguments(parser)
    parser.add_argument(
        "-j",
        dest="jobs",
        type=parse_count("jobs", 1, _MAX_JOBS),
        metavar="N",
        help="run at most N jobs at once (default: as ninja decides)",
    )
    parser.add_argument(
        "--device-jobs",
        type=parse_count("jobs", 1, _MAX_JOBS),
        metavar="N",
        help="run at most N device compilers at once (default: as many as memory allows)",
    )


def add_directory_arguments(
    parser: argparse.ArgumentParser,
    profile_help: str = f"select the profile (default: {PROFILES[0]})",
) -> None:
    """Declare the arguments that select the manifest and its build directory."""
    parser.add_argument(
        "-f",
        dest="manifest",
        type=Path,
        metavar="FILE",
        help="read this manifest (default: kbuild.toml or pyproject.toml)",
    )
    parser.add_argument(
        "-o",
        dest="output",
        type=Path,
        metavar="DIR",
        help=f"use this build directory (default: {DEFAULT_OUTPUT} beside the manifest)",
    )
    parser.add_argument("--profile", choices=PROFILES, help=profile_help)


def locate_build(manifest: Path, arguments: argparse.Namespace) -> BuildDirectory:
    """Return the build directory. Each profile has its own."""
    if arguments.output:
        return BuildDirectory(root=normalize(arguments.output.absolute()))
    root = normalize(manifest).parent / DEFAULT_OUTPUT
    is_default = arguments.profile in (None, PROFILES[0])
    return BuildDirectory(root=root if is_default else root / arguments.profile)


def report_waiting(directory: BuildDirectory, holder: str) -> None:
    """Say which process has the lock."""
    message = f"kbuild: waiting for another kbuild (process {holder}) to leave {directory.root}"
    print(message, file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace) -> int:
    """Build, and print the paths of the artifacts."""
    manifest = read_manifest(arguments.manifest or find_manifest(Path.cwd()))
    directory = locate_build(manifest.path, arguments)
    check_manifest(manifest, directory.root)
    targets = _select_targets(manifest, arguments.targets)
    tools = find_build_tools()
    settings = BuildSettings(
        profile=arguments.profile or PROFILES[0], device_jobs=arguments.device_jobs
    )
    with (
        hold_lock(directory, lambda holder: report_waiting(directory, holder)) as lock,
        show_build() as reporter,
    ):
        configure_directory(directory, manifest, settings, tools, reporter.report_line)
        ninja_run = NinjaRun(
            ninja=tools.ninja,
            directory=directory.cmake,
            targets=tuple(f"{name}_all" for name in arguments.targets),
            jobs=arguments.jobs,
            lock=lock,
        )
        run_ninja(ninja_run, reporter)
    for target in targets:
        print(locate_artifact(directory, target))
    return 0


def _select_targets(manifest: Manifest, names: list[str]) -> tuple[ManifestTarget, ...]:
    known = tuple(target.name for target in manifest.targets)
    for name in names:
        if name not in known:
            suggestion = did_you_mean(name, known)
            raise ConfigurationError(f"{manifest.path}: no target {name!r}{suggestion}")
    return tuple(target for target in manifest.targets if not names or target.name in names)
