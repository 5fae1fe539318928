"""The steps of nvcc that compile host code: preprocessing, ``cudafe++``, and the host compiler."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import time_command
from benchmarks.mixed.projects import Inputs
from benchmarks.mixed.sources import Source

_DEVICE_MARKS = ("-D__CUDA_ARCH__=", "cicc", "ptxas", "fatbinary", "rm ")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSteps:
    """Commands that repeat nvcc's host steps for a source whose device files exist."""

    compile: tuple[object, ...]
    link: tuple[object, ...]
    directory: Path


def prepare_host_steps(source: Source, inputs: Inputs, directory: Path) -> HostSteps:
    """Build the program once, and write scripts that repeat the host steps alone."""
    kept = directory / source.name
    kept.mkdir(parents=True)
    program = inputs.samples / source.directory
    nvcc = (str(inputs.nvcc), "--keep", "--keep-dir", str(kept))
    options = (*nvcc, *inputs.nvcc_options, "-c")
    for name in source.others:
        time_command([*options, program / name, "-o", kept / f"{name}.o"])
    objects = [str(kept / f"{name}.o") for name in (source.mixed, *source.others)]
    compile_it = [*options, str(program / source.mixed), "-o", objects[0]]
    link = [*nvcc, *objects, "-o", str(kept / "program")]
    # The steps need the files that these complete runs leave behind.
    time_command([*compile_it, "--threads", "0"])
    time_command(link)
    variables, steps = _list_steps(compile_it)
    host_steps = [step for step in steps if _is_host_step(step)]
    link_variables, link_steps = _list_steps(link)
    return HostSteps(
        compile=_write(kept / "compile.sh", variables, host_steps),
        link=_write(kept / "link.sh", link_variables, link_steps[-1:]),
        directory=directory,
    )


def _list_steps(argv: list[str]) -> tuple[list[str], list[str]]:
    """Return the variables that nvcc sets, as lines of shell, and the steps of a run."""
    done = subprocess.run([*argv, "--dryrun"], capture_output=True, text=True, check=True)
    lines = [line[3:] for line in done.stderr.splitlines() if line.startswith("#$ ")]
    variables, steps = [], []
    for line in lines:
        name, found, value = line.partition("=")
        if found and name.isidentifier():
            variables.append(f"export {name}={shlex.quote(value)}")
        else:
            steps.append(line)
    return variables, steps


def _is_host_step(step: str) -> bool:
    # The host compiler's run over cudafe++'s output has the macro of an architecture, too.
    is_last = " -c -x c++ " in step and ".cudafe1.cpp" in step
    return is_last or not any(mark in step for mark in _DEVICE_MARKS)


def _write(script: Path, variables: list[str], steps: list[str]) -> tuple[object, ...]:
    script.write_text("\n".join([*variables, *steps]) + "\n")
    return ("sh", "-e", script)
