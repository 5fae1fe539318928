"""``kbuild build``: build the targets of a manifest with CMake and ninja."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import (
    add_cuda_version_argument,
    add_schema_argument,
    add_verbose_argument,
    parse_count,
)
from kbuild.cli.build_progress import show_build
from kbuild.cli.builds import build_project
from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.project.directory import DEFAULT_OUTPUT, BuildDirectory
from kbuild.project.generate import BuildSettings, generate_project, locate_artifact
from kbuild.project.manifest.checks import check_manifest
from kbuild.project.manifest.read import find_manifest, read_manifest
from kbuild.project.manifest.tables import PROFILES, Manifest, ManifestTarget
from kbuild.stages.paths import normalize
from kbuild.toolchain.cuda_versions import select_version

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
    add_cuda_version_argument(parser)
    add_schema_argument(parser, "--manifest-schema", _make_schema, "manifests")
    add_verbose_argument(parser)


def _make_schema() -> object:
    from kbuild.project.manifest.schema import (  # noqa: PLC0415 - only this option needs it
        make_manifest_schema,
    )

    return make_manifest_schema()


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


def locate_build(root: Path, output: Path | None, profile: str | None) -> BuildDirectory:
    """Return the build directory of the manifest in ``root``. Each profile has its own.

    Args:
        root: The directory of the manifest.
        output: The build directory that the command line names.
        profile: The profile that the command line names.
    """
    if output:
        return BuildDirectory(root=normalize(output.absolute()))
    default = root / DEFAULT_OUTPUT
    is_default = profile in (None, PROFILES[0])
    return BuildDirectory(root=default if is_default else default / str(profile))


def find_target(
    what: str, manifest_path: Path | None, others: tuple[str, ...] = ()
) -> tuple[Manifest, ManifestTarget] | None:
    """Return a target of the manifest by its name; None if ``what`` is the path of an artifact.

    Args:
        what: The name or path.
        manifest_path: The manifest; by default, the one of the current directory.
        others: Other names that the command accepts, for the error message.

    Raises:
        ConfigurationError: There is no such target.
    """
    if "/" in what or Path(what).is_file():
        return None
    manifest = read_manifest(manifest_path or find_manifest(Path.cwd()))
    targets = {target.name: target for target in manifest.targets}
    if what not in targets:
        raise ConfigurationError(
            f"{manifest.path}: no target {what!r}{did_you_mean(what, (*targets, *others))} "
            "(write ./ in front of the name of a file)"
        )
    return manifest, targets[what]


def run(arguments: argparse.Namespace) -> int:
    """Build, and print the paths of the artifacts."""
    if arguments.cuda_version:
        select_version(arguments.cuda_version)
    manifest = read_manifest(arguments.manifest or find_manifest(Path.cwd()))
    directory = locate_build(manifest.root, arguments.output, arguments.profile)
    check_manifest(manifest, directory.root)
    targets = _select_targets(manifest, arguments.targets)
    settings = BuildSettings(
        profile=arguments.profile or PROFILES[0], device_jobs=arguments.device_jobs
    )
    build_project(
        generate_project(manifest, directory, settings),
        directory,
        targets=tuple(f"{name}_all" for name in arguments.targets),
        jobs=arguments.jobs,
        show=partial(show_build, is_verbose=arguments.verbose),
    )
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
