"""Run programs with HIP kernels against a library that records the calls to the runtime.

The recorder (``recording_hip/``) replaces libamdhip64 and checks its arguments.
No kernel runs, because the real library needs an AMD device.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.commands import run, succeed

RECORDER = Path(__file__).parent / "recording_hip"
SONAME = "libamdhip64.so.5"
REGISTRATION = "__hipRegisterFatBinary"
STEP = ("t", 0.5, -3, (1, 2, -7))


def build_recorder(directory: Path) -> Path:
    """Build the library with the name of the real one, in a directory for LD_LIBRARY_PATH."""
    directory.mkdir()
    succeed(
        run(
            *("g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"),
            *("-Wl,-z,defs", f"-Wl,-soname,{SONAME}"),
            f"-Wl,--version-script={RECORDER / 'exports.map'}",
            *sorted(RECORDER.glob("*.cpp")),
            *("-o", directory / SONAME),
        )
    )
    return directory


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The output of a program, and its calls in order."""

    returncode: int
    output: str
    calls: tuple[dict[str, Any], ...]

    def select(self, *names: str) -> tuple[dict[str, Any], ...]:
        return tuple(call for call in self.calls if call["call"] in names)

    @property
    def launches(self) -> tuple[dict[str, Any], ...]:
        return self.select("hipLaunchKernel", "hipLaunchCooperativeKernel")

    def find_launch(self, kernel: str) -> dict[str, Any]:
        (launch,) = (call for call in self.launches if call.get("kernel") == kernel)
        return launch


def record(recorder: Path, program: Path, *arguments: object, **variables: str) -> Recording:
    """Run a program with the recorder."""
    journal = program.with_name(f"{program.name}.jsonl")
    journal.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(recorder),
        "KBUILD_HIP_RECORDING": str(journal),
        **variables,
    }
    result = subprocess.run(
        [program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    lines = journal.read_text().splitlines() if journal.exists() else []
    return Recording(
        returncode=result.returncode,
        output=result.stdout + result.stderr,
        calls=tuple(map(json.loads, lines)),
    )
