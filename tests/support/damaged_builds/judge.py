"""Build a damaged source for the CPU, and judge the message that its author sees."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.errors import KbuildError
from kbuild.stages.compile import compile_edge
from kbuild.stages.edges import BuildPlan
from kbuild.stages.mixed.host_pass import run_host_pass
from kbuild.stages.mixed.preprocess import preprocess_source
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec

# The user's text has none of these words; kbuild's own texts do.
_INTERNAL: Final = re.compile(r"\bkbuild::|\bkbuild_cpu|\b_*kbuild_+\w+|\bcudaPushCall")
_OPTIONS: Final = ("-O0", "-w")


@dataclass(frozen=True)
class Verdict:
    """What happened to a source.

    Attributes:
        message: What its author sees; empty if the source is accepted.
        fault: What is wrong with the message; empty if it is right.
    """

    message: str = ""
    fault: str = ""


def build_source(source: Path, directory: Path, includes: tuple[Path, ...] = ()) -> Verdict:
    """Build a source, as far as compilers can reject it.

    Args:
        source: The source.
        directory: An empty directory.
        includes: The directories of headers.
    """
    plan = _plan(source, directory)
    options = (*_OPTIONS, *(f"-I{path}" for path in includes))
    flags = DeviceFlags(options=options, host_options=options)
    try:
        for edge in plan.hosts:
            preprocess_source(edge, flags)
            run_host_pass(edge, flags)
        for compiled in plan.edges:
            compile_edge(compiled, flags)
    except KbuildError as error:
        return Verdict(str(error), find_fault(str(error), source))
    except Exception as error:  # noqa: BLE001 - a defect, whatever it is
        return Verdict(repr(error), f"traceback: {error!r}")
    for edge in plan.hosts:
        # kbuild's header of handles is the result of the device pass.
        edge.text.with_name(edge.handles.name).write_text("")
        command = ["g++", *options, *plan.host_options, "-fsyntax-only", str(edge.text)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            return Verdict(result.stderr, find_fault(result.stderr, source))
    return Verdict()


def find_fault(message: str, source: Path) -> str:
    """Return what is wrong with a message about a source; empty if it is right."""
    place = re.compile(rf"(?:^|[/ ]){re.escape(source.name)}:(\d+)", re.MULTILINE)
    errors = [line for line in message.splitlines() if " error: " in line] or [message]
    if not place.search(message):
        return f"not at a line of the source: {errors[0]}"
    count = source.read_text().count("\n") + 1
    if int(place.findall(message)[0]) > count:
        return f"after the end of the source: {errors[0]}"
    found = _INTERNAL.search(errors[0].replace(str(source.parent), ""))
    return f"names {found[0]}: {errors[0]}" if found else ""


def _plan(source: Path, directory: Path) -> BuildPlan:
    return plan_target(
        TargetSpec(
            name="program",
            kind="object",
            backend="cpu",
            sources=(source,),
            source_root=source.parent,
            output_directory=directory,
            architectures=("native",),
            host_compiler="g++",
            compilers=(("CXX", "g++"),),
            host_compiler_id="GNU",
            is_mixed=True,
            rdc="ON",
        )
    )


def compile_with_nvcc(source: Path, directory: Path, includes: tuple[Path, ...] = ()) -> str:
    """Return nvcc's errors about a source; empty if it accepts the source."""
    nvcc = shutil.which("nvcc") or "nvcc"
    command = [nvcc, "-arch=sm_90", "-rdc=true", "-w", *(f"-I{path}" for path in includes), "-c"]
    command += [str(source), "-o", str(directory / "object.o")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return (result.stderr or "failed") if result.returncode else ""
