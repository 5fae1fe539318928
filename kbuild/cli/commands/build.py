"""``kbuild build``: the targets of a manifest, by CMake and ninja."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.cli import quick_build
from kbuild.cli.build_progress import show_build
from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.files import write_if_changed
from kbuild.project.directory import OUTPUT, BuildFolder, check_claim, hold_lock
from kbuild.project.manifest import MANIFEST_NAME, PROFILES, PYPROJECT_NAME, find_manifest
from kbuild.project.ninja import NinjaRun, run_ninja
from kbuild.project.state import VARIABLES, BuildState, is_current, make_request, read_state

HELP = "Build the targets of kbuild.toml, or of [tool.kbuild] in pyproject.toml."
_MOST_JOBS: Final = 99999  # as KbuildAddKernels.cmake has it


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
    profile = arguments.profile or PROFILES[0]
    request = make_request(manifest, folder, profile, arguments.device_jobs)
    if not folder.is_ours():
        _check_first(manifest, folder, arguments.targets)
    with (
        hold_lock(folder, lambda holder: report_waiting(folder, holder)) as lock,
        show_build() as reporter,
    ):
        state = read_state(folder)
        marks = _mark_inputs(folder, state) if state else None
        if state is None or not is_current(state, request):
            from kbuild.project.configure import configure_folder  # noqa: PLC0415 - loads slowly

            state = configure_folder(folder, request, state, reporter.report_line)
            marks = _mark_inputs(folder, state)
            if not is_current(state, request):  # something changed meanwhile
                marks = None
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
        if marks is not None and _is_plain(arguments):
            _write_quick_file(folder, state, marks)
    for output in state.outputs:
        if not arguments.targets or output.target in arguments.targets:
            print(output.artifact)
    return 0


def _is_plain(arguments: argparse.Namespace) -> bool:
    """Whether it is a call that `kbuild.cli.quick_build` knows."""
    return (arguments.manifest, arguments.output, arguments.device_jobs) == (None, None, None)


def _mark_inputs(folder: BuildFolder, state: BuildState) -> list[str] | None:
    """All that a configuration depends on as it is now, which is before it is compared."""
    root = state.request.manifest.parent
    paths = {str(root / name): None for name in (MANIFEST_NAME, PYPROJECT_NAME)}
    paths.update((str(file.path), None) for file in state.files)
    for pattern in state.patterns:
        folders = quick_build.list_folders(str(root), pattern.pattern, str(folder.root))
        if folders is None:
            return None
        paths.update(dict.fromkeys(folders))
    return [quick_build.mark(path) for path in paths if "\n" not in path]


def _write_quick_file(folder: BuildFolder, state: BuildState, marks: list[str]) -> None:
    outputs = {output.target: str(output.artifact) for output in state.outputs}
    content = quick_build.format_quick_file(
        str(folder.root), VARIABLES, str(state.ninja), outputs, marks
    )
    write_if_changed(folder.quick, content)


def _check_first(manifest: Path, folder: BuildFolder, names: list[str]) -> None:
    """Refuse what cannot be built before a folder is made for it."""
    from kbuild.project.configure import check_manifest  # noqa: PLC0415 - loads slowly

    known = tuple(target.name for target in check_manifest(manifest, folder.root).targets)
    _check_names(manifest, names, known)
    check_claim(folder, known)


def _check_names(manifest: Path, names: list[str], known: Iterable[str]) -> None:
    there = tuple(known)
    for name in names:
        if name not in there:
            raise ConfigurationError(f"{manifest}: no target {name!r}{did_you_mean(name, there)}")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_JOBS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs, 1 to {_MOST_JOBS}")
    return int(text)
