"""Run gdb in batch mode on the programs of the project ``debugger``, and read its output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from support.commands import PROJECTS
from support.tools.toolchains import find_missing, skip_if

DEBUGGER = PROJECTS / "debugger"
POINTER = "0x[0-9a-f]+"
# The same output whatever the user's settings are. A breakpoint on a function that no loaded
# library defines yet must not ask a question.
SETTINGS = (
    "set debuginfod enabled off",
    "set breakpoint pending on",
    "set pagination off",
    "set width 0",
    "set print frame-arguments all",
)


@cache
def find_obstacle() -> str:
    """Return why gdb cannot run programs here, or an empty string if it can."""
    if problem := find_missing("gdb"):
        return problem
    trial = ["gdb", "--batch", "-nx", "-ex", "run", shutil.which("true") or "/bin/true"]
    done = subprocess.run(trial, capture_output=True, text=True, check=False)
    return (
        ""
        if "exited normally" in done.stdout
        else "gdb is not permitted to trace programs here (ptrace)"
    )


needs_gdb = skip_if(find_obstacle())


def run_gdb(
    *commands: str,
    files: tuple[Path, ...],
    debugger: str = "gdb",
    environment: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the output of each command, including what the program printed during it.

    Args:
        commands: The commands for gdb.
        files: The program and, to examine a crash, its core file.
        debugger: The debugger to run.
        environment: Environment variables to set.
    """
    marker = "-- next command --"
    words = [debugger, "--batch", "-nx"]
    for setting in SETTINGS:
        words += ["-ex", setting]
    for command in commands:
        words += ["-ex", f"echo \\n{marker}\\n", "-ex", command]
    done = subprocess.run(
        [*words, *map(str, files)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
        env={**os.environ, **(environment or {})},
    )
    printed = done.stdout.split(marker)[1:]
    assert len(printed) == len(commands), done.stdout
    return [text.strip() for text in printed]


def list_frames(backtrace: str) -> list[str]:
    """Return the frames in ``bt`` of one thread, innermost first, without number and address."""
    return [
        re.sub(r"0x[0-9a-f]+ in ", "", frame, count=1)
        for frame in re.findall(r"^#\d+\s+(.*)$", backtrace, re.MULTILINE)
    ]


def find_frame(frames: list[str], function: str) -> int:
    """Return the index of the only frame of ``function``."""
    places = [i for i, frame in enumerate(frames) if re.match(rf"{re.escape(function)} ?\(", frame)]
    assert len(places) == 1, (function, frames)
    return places[0]


def find_line(file: str, text: str) -> int:
    """Return the number of the only line that ends in ``text`` in a file of the project."""
    lines = (DEBUGGER / file).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, start=1) if line.endswith(text)]
    return number


def check_launch(frames: list[str], kernel: str, file: str = "main.cpp") -> None:
    """Check that the frames show who launched the kernel, with file and line."""
    launching = frames[find_frame(frames, f"(anonymous namespace)::launch_{kernel}")]
    assert launching.endswith(f"/{file}:{find_line(file, f'// launches {kernel}')}"), launching


def check_stub(frames: list[str], stub: str, arguments: str, kernel: str) -> None:
    """Check that the innermost frame is the stub with these arguments, followed by its launch.

    Launches of explicit instances find the stub through the module, which adds frames.
    """
    shown = rf"{re.escape(stub)} \({arguments}\) at .*_stub\.cpp:\d+"
    assert re.fullmatch(shown, frames[0]), frames
    check_launch(frames, kernel)
    most = 7 if stub.endswith(">") else 3
    assert find_frame(frames, f"(anonymous namespace)::launch_{kernel}") <= most
    assert find_frame(frames, "main") <= most + 1
