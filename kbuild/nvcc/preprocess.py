"""Preprocess a source alone (``-E``, ``-M``).

Compiler caches take the output for everything that the object depends on.
"""

from __future__ import annotations

from kbuild import files, process, resources
from kbuild.nvcc.source import SourceBuild, make_flags, plan_source, run_parallel
from kbuild.nvcc.tools import Tools
from kbuild.stages.edges import BuildPlan
from kbuild.stages.mixed.preprocess import run_preprocessor
from kbuild.stages.mixed.preprocessors import describe_preprocessors, print_text


def preprocess(build: SourceBuild) -> tuple[BuildPlan, bytes]:
    """Preprocess a source for all passes.

    Returns:
        The plan, whose depfiles exist then, and the text: what identifies the tools, the device
        passes as with nvcc, without repetitions, and the host pass.

    Raises:
        ToolError: A preprocessor failed.
    """
    plan, flags = plan_source(build), make_flags(build)
    (host,) = plan.hosts
    device_texts = run_parallel(
        build.invocation,
        lambda edge: print_text(describe_preprocessors(host, edge, flags)[1]),
        plan.edges,
    )
    preprocessed, _ = run_preprocessor(host, flags)
    texts = (_describe(build.tools), *dict.fromkeys(device_texts))
    content = "".join(texts).encode(errors="surrogateescape")
    return plan, content + files.read_file(preprocessed)


def _describe(tools: Tools) -> str:
    """Return a comment with what objects depend on beside the texts."""
    variables = process.select_environment((), prefixes=("KBUILD_",))
    parts = (
        f"kbuild {resources.identify_installation()}",
        f"{tools.toolchain.compiler_id} {tools.toolchain.version}",
        tools.host_compiler_version,
        *(f"{name}={value}" for name, value in sorted(variables.items())),
    )
    return f"// {', '.join(parts)}\n".replace("\\", "/")
