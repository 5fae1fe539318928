"""``kbuild demo``: the saxpy example, from source to a launched kernel."""

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
from typing import Final

from kbuild import process, resources
from kbuild.backends import builder_names
from kbuild.errors import BuildError, ConfigurationError, ToolchainError
from kbuild.model import Command
from kbuild.project.cmake import CMakeBuild, configure_and_build, find_build_tools

HELP = "Build, verify and smoke-run the saxpy example; no GPU needed."


_SKIPPED: Final = 77


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One step of the demo, and whether there was a device for it."""

    name: str
    what: str
    is_done: bool
    seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--backend", choices=builder_names(), default="cpu")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="where the project goes (default: a new folder)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do all of it, then say what was done and where it is."""
    if find_spec("numpy") is None:
        raise ToolchainError("numpy is not installed: pip install 'kbuild[demo]'")
    folder = _make_folder(arguments.keep)
    source = folder / "saxpy"
    build = folder / "build"
    library = build / "libsaxpy_kernels.so"
    shutil.copytree(resources.examples_directory() / "saxpy", source, dirs_exist_ok=True)
    steps = (
        ("build", "CMake and ninja", lambda: _build(source, build, arguments.backend)),
        ("verify", "kbuild verify", lambda: _call_kbuild("verify", str(library))),
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
        if not rows[-1].is_done:  # nor can what follows be
            break
    _print_table(rows, folder, library)
    return 0 if rows[-1].is_done else _SKIPPED


def _make_folder(keep: Path | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="kbuild-demo-"))
    if keep.exists() and not (keep.is_dir() and not any(keep.iterdir())):
        raise ConfigurationError(f"--keep {keep}: not an empty folder; name a new one")
    keep.mkdir(parents=True, exist_ok=True)
    return keep.absolute()


def _build(source: Path, build: Path, backend: str) -> int:
    definitions = ("CMAKE_BUILD_TYPE=Release", f"BACKEND={backend}")
    project = CMakeBuild(source=source, build=build, definitions=definitions)
    configure_and_build(project, find_build_tools())
    return 0


def _call_kbuild(*words: str) -> int:
    return _run_program(*process.python_argv("kbuild.cli.main"), *words)


def _run_program(*argv: str | Path) -> int:
    """Run it; BuildError where it neither succeeds nor finds itself without a device."""
    status = process.stream(Command(argv=tuple(map(str, argv))))
    if status not in (0, _SKIPPED):
        raise BuildError(f"exit status {status}: {' '.join(map(str, argv))}", abs(status))
    return status


def _time_step(name: str, what: str, step: Callable[[], int]) -> _Step:
    print(f"--- {name}: {what}", file=sys.stderr, flush=True)
    start = time.perf_counter()
    status = step()
    return _Step(name=name, what=what, is_done=status == 0, seconds=time.perf_counter() - start)


def _print_table(rows: list[_Step], folder: Path, library: Path) -> None:
    print()
    for row in rows:
        outcome = f"ok {row.seconds:6.1f} s" if row.is_done else "skipped: no device"
        print(f"  {row.name:<8}{row.what:<24}{outcome}")
    print(f"\n  project   {folder}")
    print(f"  library   {library}")
    print(f"  look in   kbuild inspect {library}")
