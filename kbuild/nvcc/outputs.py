"""Name the outputs of an invocation as nvcc does."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild.nvcc.invocation import Input, Invocation

_SUFFIXES: Final = {
    "compile": ".o",
    "ptx": ".ptx",
    "cubin": ".cubin",
    "fatbin": ".fatbin",
}


def name_output(invocation: Invocation, source: Input) -> Path:
    """Return the file that an input becomes in a phase with one output per input."""
    if invocation.output is not None:
        return invocation.output
    if invocation.phase == "host-source":
        return place(invocation, f"{source.path.name}.cpp.ii")
    suffix = _SUFFIXES[invocation.phase]
    return place(invocation, source.path.with_suffix(suffix).name)


def name_linked(invocation: Invocation) -> Path:
    """Return the output of a phase that joins its inputs."""
    suffix = _SUFFIXES.get(invocation.link_output, ".o")
    names = {"archive": "a.a", "device-link": f"a_dlink{suffix}"}
    return invocation.output or place(invocation, names.get(invocation.phase, "a.out"))


def place(invocation: Invocation, name: str) -> Path:
    """Return where an output without a name of its own goes."""
    return (invocation.output_directory or Path()) / name
