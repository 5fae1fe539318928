"""Compile one CUDA source to one relocatable object, through the stages of CMake targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from kbuild import files, parallel
from kbuild.backends.host_options import find_standard
from kbuild.nvcc.command_line.architectures import check_ages
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.tiles import reject_tiles
from kbuild.nvcc.tools import Tools
from kbuild.process.diagnostics import select_once
from kbuild.project.jobserver import borrow_jobs, find_jobserver
from kbuild.stages.compile import compile_edge
from kbuild.stages.depfiles import read_dependencies
from kbuild.stages.edges import BuildPlan, CompileEdge
from kbuild.stages.mixed.edge import HostEdge, name_link
from kbuild.stages.mixed.host_pass import run_host_pass
from kbuild.stages.mixed.preprocess import run_preprocessor
from kbuild.stages.pack import pack_target
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec
from kbuild.values import dataclass, replace

T = TypeVar("T")
R = TypeVar("R")

_NAME_DIGITS: Final = 16
_DEFAULT_STANDARD: Final = 17
# A plan needs names before the source is preprocessed.
UNNAMED: Final = "unnamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBuild:
    """One source on its way to an object.

    Attributes:
        invocation: The command line.
        source: The source, as the command line spells it.
        tools: The tools.
        directory: The directory of intermediate files.
    """

    invocation: Invocation
    source: Path
    tools: Tools
    directory: Path


def plan_source(build: SourceBuild) -> BuildPlan:
    """Plan the edges of a source.

    Raises:
        ConfigurationError: An architecture or a path is not supported.
    """
    invocation, tools = build.invocation, build.tools
    architectures = tools.conventions.select_architectures(
        invocation.architectures or (tools.toolkit.layout.architecture,)
    )
    check_ages(architectures, tools.toolchain.architectures)
    plan = plan_target(
        TargetSpec(
            name=UNNAMED,
            kind="object",
            backend=tools.toolchain.backend,
            sources=(build.source,),
            source_root=Path.cwd(),
            output_directory=build.directory,
            architectures=architectures,
            rdc="LATER" if invocation.relocatable else "OFF",
            check=invocation.is_checked,
            compression=invocation.compression,
            has_weak_instances=invocation.has_weak_instances,
            visibility="hidden" if invocation.hides_entities else "default",
            device_standard=max(_find_standard(invocation), tools.toolkit.layout.oldest_standard),
            host_compiler=str(tools.host_compiler),
            compilers=(("CXX", str(tools.host_compiler)),),
            stub_suffix=".cpp",
            is_mixed=True,
            host_compiler_id=tools.host_compiler_id,
            launcher=(),
        )
    )
    requested = invocation.dependencies
    option = "-MD" if requested and requested.has_system_headers else "-MMD"
    return replace(
        plan,
        hosts=tuple(replace(h, depfile_option=option) for h in plan.hosts),
        edges=tuple(replace(edge, keeps_images=True) for edge in plan.edges),
    )


def _find_standard(invocation: Invocation) -> int:
    """Return the C++ standard: nvcc's own option, or the newer one of its host compiler."""
    _, of_host = find_standard(invocation.host_options) or ("", 0)
    return max(int(invocation.standard or _DEFAULT_STANDARD), of_host)


def make_flags(build: SourceBuild) -> DeviceFlags:
    """Return the flags of both passes."""
    invocation = build.invocation
    conventions = build.tools.conventions
    options = conventions.translate_options(invocation.device_options)
    return DeviceFlags(
        build_options=("-O3",),  # of device code, whatever the host compiler does
        options=(*conventions.quote_options(invocation.preprocessor), *options),
        host_options=list_host_options(invocation),
    )


def list_host_options(invocation: Invocation) -> tuple[str, ...]:
    """List the options with which the host compiler compiles, without those of preprocessors."""
    level = (f"-O{invocation.optimization}",) if invocation.optimization else ()
    debug = ("-g",) if invocation.has_debug else ()
    return (*level, *debug, *invocation.host_options)


def list_include_options(tools: Tools) -> tuple[str, ...]:
    """List the options with which host code finds the headers of the toolkit."""
    library = tools.toolkit.header_library
    return (f"-I{tools.toolkit.include}", *((f"-isystem{library}",) if library else ()))


def name_module(build: SourceBuild, edge: HostEdge, preprocessed: Path) -> str:
    """Return the part of generated names that is unique to the text and the options."""
    invocation = build.invocation
    options = (
        *(*edge.architectures, str(edge.device_standard), str(invocation.relocatable)),
        *(("--check",) if invocation.is_checked else ()),
        *(("--static-global-template-stub=false",) if invocation.has_weak_instances else ()),
        *invocation.preprocessor,
        *invocation.device_options,
        *list_host_options(invocation),
    )
    described = "\0".join(options).encode(errors="surrogateescape")
    return files.sha256(files.read_file(preprocessed) + described)[:_NAME_DIGITS]


def run_passes(build: SourceBuild, plan: BuildPlan, flags: DeviceFlags) -> tuple[BuildPlan, str]:
    """Preprocess the source, run the passes of the plan, and pack their results.

    Returns:
        The plan with its final names, and the warnings of the tools.
    """
    (host,) = plan.hosts
    preprocessed, log = run_preprocessor(host, flags)
    if build.invocation.enables_tiles:
        reject_tiles(read_dependencies(host.depfile), build.tools.toolkit.include)
    plan = _name_plan(build, plan, name_module(build, host, preprocessed))
    (host,) = plan.hosts
    tasks: tuple[HostEdge | CompileEdge, ...] = (*plan.hosts, *plan.edges)
    logs = run_parallel(build.invocation, lambda task: _run_edge(task, flags), tasks)
    pack_target(plan.pack, writes_headers=False)
    return plan, log + select_once(*logs)


def run_parallel(
    invocation: Invocation, function: Callable[[T], R], values: tuple[T, ...]
) -> tuple[R, ...]:
    """Return ``function(value)`` for each value, with the processes that the user allows.

    These are as many as ``-t`` says, and as many as ``make`` can spare.
    """
    jobs = invocation.jobs or parallel.count_cores()
    jobserver = find_jobserver()
    if jobserver is None:
        return tuple(parallel.map_in_order(function, values, jobs=jobs))
    with borrow_jobs(jobserver, max(len(values) - 1, 1)) as borrowed:
        return tuple(parallel.map_in_order(function, values, jobs=max(jobs, borrowed + 1)))


def _run_edge(edge: HostEdge | CompileEdge, flags: DeviceFlags) -> str:
    if isinstance(edge, HostEdge):
        return run_host_pass(edge, flags)
    return compile_edge(edge, flags).compiled.warnings


def _name_plan(build: SourceBuild, plan: BuildPlan, name: str) -> BuildPlan:
    """Return a plan of one source with the name that its text and options have."""
    link_id = name_link(name, build.source) if build.invocation.relocatable else None
    mixed = tuple(replace(source, module=name, link_id=link_id) for source in plan.pack.mixed)
    return replace(
        plan,
        hosts=tuple(replace(host, module=name) for host in plan.hosts),
        edges=tuple(replace(edge, module=name) for edge in plan.edges),
        pack=replace(plan.pack, target=name, mixed=mixed),
    )
