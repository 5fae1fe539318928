"""``kbuild demo``: build, verify, and run the saxpy example."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from kbuild import process, resources
from kbuild.cli.arguments import add_backend_argument
from kbuild.cli.output import SKIPPED
from kbuild.errors import BuildError, ConfigurationError, ToolchainError
from kbuild.model import Command
from kbuild.project.cmake import CMakeBuild, configure_and_build
from kbuild.project.environment import find_host_compiler
from kbuild.project.tools import find_build_tools
from kbuild.toolchain.find import gather_hints

HELP = "Build, verify, and run the saxpy example. The default backend needs no GPU."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A step of the demo. ``is_done`` is false if there was no device for it."""

    name: str
    description: str
    is_done: bool
    seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_backend_argument(parser)
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="write the project to DIR (default: a new temporary directory)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run all steps, and print their results and the paths of the files."""
    if find_spec("numpy") is None:
        raise ToolchainError("NumPy is not installed; pip install 'kbuild[demo]'")
    find_host_compiler(gather_hints().variable("CXX"))
    directory = _make_directory(arguments.keep)
    source = directory / "saxpy"
    build = directory / "build"
    library = build / "libsaxpy_kernels.so"
    shutil.copytree(resources.examples_directory() / "saxpy", source, dirs_exist_ok=True)
    steps = (
        ("build", "CMake and ninja", lambda: _build(source, build, arguments.backend)),
        ("verify", "kbuild verify", lambda: _call_kbuild("verify", "--closure", str(library))),
        (
            "smoke",
            "kbuild smoke",
            lambda: _call_kbuild(
                "smoke", str(library), str(source / "saxpy_cases.py"), "--no-verify"
            ),
        ),
        ("run", "the C++ host program", lambda: _run_program(build / "saxpy")),
    )
    rows = []
    for step in steps:
        rows.append(_time_step(*step))
        if not rows[-1].is_done:  # the following steps need a device too
            break
    _print_table(rows, directory, library)
    return 0 if rows[-1].is_done else SKIPPED


def _make_directory(keep: Path | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="kbuild-demo-"))
    if keep.exists() and not (keep.is_dir() and not any(keep.iterdir())):
        raise ConfigurationError(f"--keep {keep}: not an empty directory; name a new one")
    keep.mkdir(parents=True, exist_ok=True)
    return keep.absolute()


def _build(source: Path, build: Path, backend: str) -> int:
    definitions = (
        *("CMAKE_BUILD_TYPE=Release", f"BACKEND={backend}"),
        "CMAKE_MESSAGE_LOG_LEVEL=NOTICE",
    )
    project = CMakeBuild(source=source, build=build, definitions=definitions)
    configure_and_build(project, find_build_tools())
    return 0


def _call_kbuild(*words: str) -> int:
    return _run_program(*process.python_argv("kbuild.cli.main"), *words)


def _run_program(*argv: str | Path) -> int:
    """Run a program and return its exit status: 0, or 77 if there is no device.

    Raises:
        BuildError: The program fails.
    """
    status = process.stream(Command(argv=tuple(map(str, argv))))
    if status not in (0, SKIPPED):
        raise BuildError(f"exit status {status}: {' '.join(map(str, argv))}", abs(status))
    return status


def _time_step(name: str, description: str, step: Callable[[], int]) -> _Step:
    print(f"--- {name}: {description}", file=sys.stderr, flush=True)
    start = time.perf_counter()
    status = step()
    seconds = time.perf_counter() - start
    return _Step(name=name, description=description, is_done=status == 0, seconds=seconds)


def _print_table(rows: list[_Step], directory: Path, library: Path) -> None:
    print()
    for row in rows:
        outcome = f"ok {row.seconds:6.1f} s" if row.is_done else "skipped: no device"
        print(f"  {row.name:<8}{row.description:<24}{outcome}")
    print(f"\n  project   {directory}")
    print(f"  library   {library}")
    print(f"  inspect   kbuild inspect {library}")
