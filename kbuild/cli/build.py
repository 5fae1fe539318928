"""``kbuild build``: the targets of a manifest, by CMake and ninja."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.build_folder import BuildFolder, hold_lock
from kbuild.build_state import is_current, make_request, read_state
from kbuild.cli.build_progress import show_build
from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.manifest import PROFILES, find_manifest
from kbuild.ninja import NinjaRun, run_ninja

HELP = "Build the targets of kbuild.toml, or of [tool.kbuild] in pyproject.toml."
OUTPUT: Final = Path("build") / "kbuild"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="build only these")
    add_folder_arguments(parser)
    parser.add_argument("-j", dest="jobs", type=_count, metavar="N", help="parallel jobs")
    parser.add_argument(
        "--device-jobs",
        type=_count,
        metavar="N",
        help="device compiles among them (default: as many as memory has room for)",
    )


def add_folder_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what says which manifest, and where its build is."""
    parser.add_argument("-f", dest="manifest", type=Path, metavar="FILE", help="the manifest")
    parser.add_argument("-o", dest="output", type=Path, metavar="DIR", help="where outputs are")
    parser.add_argument("--profile", choices=PROFILES, help=f"default: {PROFILES[0]}")


def find_folder(manifest: Path, arguments: argparse.Namespace) -> BuildFolder:
    """Where the arguments say that a manifest's build is; each profile has a folder of its own."""
    if arguments.output:
        return BuildFolder(root=arguments.output.absolute())
    root = manifest.parent / OUTPUT
    is_default = arguments.profile in (None, PROFILES[0])
    return BuildFolder(root=root if is_default else root / arguments.profile)


def report_waiting(folder: BuildFolder, holder: str) -> None:
    """Say why nothing happens."""
    message = f"kbuild: waiting for another kbuild (process {holder}) to leave {folder.root}"
    print(message, file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace) -> int:
    """Configure if need be, build, and print the artifacts."""
    manifest = (arguments.manifest or find_manifest(Path.cwd())).absolute()
    folder = find_folder(manifest, arguments)
    request = make_request(manifest, arguments.profile or PROFILES[0], arguments.device_jobs)
    if not folder.root.exists():
        _check_first(manifest, arguments.targets)
    with (
        hold_lock(folder, lambda holder: report_waiting(folder, holder)) as lock,
        show_build() as reporter,
    ):
        state = read_state(folder)
        if state is None or not is_current(state, request):
            from kbuild.manifest_build import configure_folder  # noqa: PLC0415 - loads slowly

            state = configure_folder(folder, request, state, reporter.report_line)
        _check_names(manifest, arguments.targets, (output.target for output in state.outputs))
        run_ninja(
            NinjaRun(
                ninja=state.ninja,
                folder=folder.cmake,
                targets=tuple(f"{name}_all" for name in arguments.targets),
                jobs=arguments.jobs,
                lock=lock,
            ),
            reporter,
        )
    for output in state.outputs:
        if not arguments.targets or output.target in arguments.targets:
            print(output.artifact)
    return 0


def _check_first(manifest: Path, names: list[str]) -> None:
    """Refuse what cannot be built before a folder is made for it."""
    from kbuild.manifest_build import check_manifest  # noqa: PLC0415 - loads slowly

    _check_names(manifest, names, (target.name for target in check_manifest(manifest).targets))


def _check_names(manifest: Path, names: list[str], known: Iterable[str]) -> None:
    there = tuple(known)
    for name in names:
        if name not in there:
            raise ConfigurationError(f"{manifest}: no target {name!r}{did_you_mean(name, there)}")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs")
    return int(text)
