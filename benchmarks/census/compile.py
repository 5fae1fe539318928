"""Compile one source with the CPU backend, and read the execution models of its kernels."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PLAIN = "plain loop"
KBUILD = str(Path(sysconfig.get_path("scripts")) / "kbuild")
# One architecture is enough, because it does not change the models.
COMPILE = (KBUILD, "nvcc", "--backend", "cpu", "-arch=native", "-w", "-c")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compile:
    """A source to compile. ``is_timed`` means that it is compiled without regions, too."""

    collection: str
    root: Path
    source: Path
    options: tuple[str, ...]
    timeout: float
    is_timed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a compile.

    Attributes:
        collection: The name of the collection.
        source: The file.
        name: The file, relative to the directory of the collection, after its name.
        error: The first line of the error; empty if the file compiles.
        seconds: The processor time of the compile.
        without_regions: The same with ``KBUILD_CPU_SPLIT=off``; 0 if this was not measured.
        kernels: The names and execution models of the kernels, also of instances of templates.
    """

    collection: str
    source: Path
    name: str
    error: str = ""
    seconds: float = 0
    without_regions: float = 0
    kernels: tuple[tuple[str, str], ...] = ()


def compile_source(unit: Compile, compiled: Path) -> Result:
    name = f"{unit.collection}/{unit.source.relative_to(unit.root)}"
    command = [*COMPILE, *unit.options, unit.source.name, "-o", str(compiled)]

    def measure(split: str) -> tuple[str, float]:
        environment = {**os.environ, "KBUILD_CPU_SPLIT": split}
        return run(command, unit.source.resolve().parent, environment, unit.timeout)

    error, seconds = measure("on")
    kernels = () if error else read_kernels(compiled)
    without_regions = 0.0
    if unit.is_timed and any(execution != PLAIN for _, execution in kernels):
        failure, measured = measure("off")
        without_regions = 0.0 if failure else measured
    compiled.unlink(missing_ok=True)
    return Result(
        collection=unit.collection,
        source=unit.source,
        name=name,
        error=error,
        seconds=seconds,
        without_regions=without_regions,
        kernels=kernels,
    )


def run(
    command: list[str], directory: Path, environment: dict[str, str], timeout: float
) -> tuple[str, float]:
    """Return the first error of a command, empty if it succeeds, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(
        command,
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as started:
        try:
            output, _ = started.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            return f"takes more than {timeout:.0f} s", 0.0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if started.returncode == 0:
        return "", seconds
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b", line)]
    return (errors or lines or [f"exit status {started.returncode}"])[0], seconds


def read_kernels(compiled: Path) -> tuple[tuple[str, str], ...]:
    """Return the names of the kernels of an object, without arguments, and their models."""
    done = subprocess.run(
        [KBUILD, "inspect", "--format", "json", compiled],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return tuple(
        sorted(
            (base_name(kernel["display"]), kernel["execution"] or "")
            for artifact in json.loads(done.stdout)["artifacts"]
            for image in artifact["images"]
            for kernel in image["kernels"]
        )
    )


def base_name(display: str) -> str:
    """Return the name of a kernel without its result, template arguments, and parameters."""
    name = display.replace("(anonymous namespace)", "{anonymous}")
    while name != (name := re.sub(r"<[^<>]*>", "", name)):
        pass
    return name.partition("(")[0].split()[-1]
