"""Programs of mixed sources, built with the stages that build edges run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.stages.compile import compile_edge
from kbuild.stages.device_link import link_edge
from kbuild.stages.mixed.host_pass import run_host_pass
from kbuild.stages.mixed.preprocess import preprocess_source
from kbuild.stages.pack import pack_target
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec

PROJECT: Final = Path(__file__).parents[1] / "projects" / "mixed_cpu"


def build_program(
    directory: Path,
    sources: tuple[Path, ...],
    *,
    compilers: tuple[str, str] = ("g++", "g++"),
    options: tuple[str, ...] = (),
    is_relocatable: bool = False,
) -> Path:
    """Build a program for the CPU and return its path. Write the warnings of both passes.

    Args:
        directory: The directory for all files.
        sources: The mixed sources.
        compilers: The compilers of host code and of device code.
        options: The options of both compilers.
        is_relocatable: Whether to link the device code of all sources.
    """
    host, device = compilers
    plan = plan_target(
        TargetSpec(
            name="program",
            kind="object",
            backend="cpu",
            sources=sources,
            source_root=sources[0].parent,
            output_directory=directory,
            architectures=("native",),
            host_compiler=device,
            compilers=(("CXX", host),),
            host_compiler_id="Clang" if "clang" in host else "GNU",
            is_mixed=True,
            rdc="ON" if is_relocatable else "OFF",
        )
    )
    flags = DeviceFlags(options=options, host_options=options)
    for edge in plan.hosts:
        preprocess_source(edge, flags)
        sys.stderr.write(run_host_pass(edge, flags))
    for compiled in plan.edges:
        sys.stderr.write(compile_edge(compiled, flags).compiled.warnings)
    for link in plan.links:
        link_edge(link, flags)
    pack_target(plan.pack)
    objects = [
        _compile([host, *options, *plan.host_options, "-c", edge.text], edge.text)
        for edge in plan.hosts
    ]
    stub = plan.pack.stub
    headers = resources.native_directory() / "include"
    objects.append(_compile(["gcc", "-I", headers, *plan.pack.stub_options, "-c", stub], stub))
    runtime = resources.find_runtime("libkbuild_cpu.so.1")
    program = directory / "program"
    subprocess.run(
        [host, *objects, runtime, f"-Wl,-rpath,{runtime.parent}", "-pthread", "-o", program],
        check=True,
    )
    return program


def _compile(command: list[str | Path], source: Path) -> Path:
    result = source.with_name(source.name + ".o")
    subprocess.run([*command, "-o", result], check=True)
    return result
