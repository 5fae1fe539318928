"""Write the device code of a source alone: PTX, one image, or a fat binary.

For a backend without PTX, an image that is written as text has the place of PTX. Programs load both
with the same functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends import find_builder
from kbuild.errors import ConfigurationError
from kbuild.formats.image_text import write_text
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.source import SourceBuild, make_flags, plan_source, run_parallel
from kbuild.process.diagnostics import select_once
from kbuild.stages.compile import CompiledSource, compile_edge
from kbuild.stages.packing.containers import make_containers
from kbuild.stages.packing.inputs import read_inputs
from kbuild.values import replace

_PTX: Final = "ptx"
_REAL, _VIRTUAL = "-real", "-virtual"


def write_image(build: SourceBuild, output: Path) -> str:
    """Write the device code that the phase of the invocation requests.

    Returns:
        The warnings of the device compiler.

    Raises:
        ConfigurationError: The phase makes one image, and several architectures are requested.
    """
    phase = build.invocation.phase
    if phase != "fatbin":
        build = replace(build, invocation=_select_one(build))
    plan, flags = plan_source(build), make_flags(build)
    # A backend without the kind of architecture compiles for several machines.
    edges = plan.edges if phase == "fatbin" else plan.edges[:1]
    compiled: tuple[CompiledSource, ...] = run_parallel(
        build.invocation, lambda edge: compile_edge(edge, flags).compiled, edges
    )
    notes = ""
    if phase == "fatbin":
        builder = find_builder(plan.pack.backend)
        made = make_containers(read_inputs(plan.pack), builder)
        content = made.contents[0] + builder.TRAITS.container_end
    else:
        (image,) = compiled[0].images
        content = files.read_file(image.path)
        if phase == _PTX and image.kind != _PTX:
            content = write_text(content)
            notes = (
                f"kbuild: note: backend {plan.pack.backend} has no PTX, so {output} is a device "
                "image for this machine, which cuModuleLoadData loads\n"
            )
    files.write_file(output, content)
    return notes + select_once(*(source.warnings for source in compiled))


def _select_one(build: SourceBuild) -> Invocation:
    """Return the invocation with the one architecture of an image."""
    invocation = build.invocation
    names = tuple(dict.fromkeys(_list_targets(build)))
    if len(names) > 1:
        raise ConfigurationError(
            f"-{invocation.phase} makes one image, but the options request {', '.join(names)}; "
            "name one with -arch, or use -fatbin"
        )
    return replace(invocation, architectures=names)


def _list_targets(build: SourceBuild) -> Iterator[str]:
    default = (build.tools.toolkit.layout.architecture,)
    for name in build.invocation.architectures or default:
        number = name.removesuffix(_REAL).removesuffix(_VIRTUAL)
        if not number[:1].isdigit():  # native
            yield name
        else:
            yield number + (_VIRTUAL if build.invocation.phase == _PTX else _REAL)
