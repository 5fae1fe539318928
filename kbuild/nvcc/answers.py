"""What the driver says about itself, in the form in which build systems read nvcc's answers."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import __version__
from kbuild.model import Command
from kbuild.nvcc.command_line.options import SECTIONS
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.tools import Tools, list_library_options
from kbuild.process import select_environment

# nvcc puts this in front of the commands that it runs.
PREFIX: Final = "#$ "


def describe_version(tools: Tools) -> str:
    """Return the text of ``--version``. CMake and torch look for its first and last line."""
    version = tools.toolkit.layout.version
    release = ".".join(version.split(".")[:2])
    return (
        f"nvcc: kbuild {__version__} (backend {tools.toolchain.backend}), in the place of NVIDIA's "
        "Cuda compiler driver\n"
        f"Cuda compilation tools, release {release}, V{version}\n"
    )


def describe_options() -> str:
    """Return the text of ``--help``."""
    blocks = ["Usage: kbuild-nvcc [OPTION...] FILE...\n"]
    for heading, options in SECTIONS.items():
        blocks.append(f"\n{heading}:\n")
        blocks += (f"  {', '.join(option.names)}\n      {option.meaning}\n" for option in options)
    return "".join(blocks)


def list_variables(tools: Tools) -> Iterator[str]:
    """Yield the variables with which the output of ``-v`` and ``--dryrun`` begins."""
    toolkit = tools.toolkit
    root, library = toolkit.root, toolkit.header_library
    path = select_environment(("PATH",)).get("PATH", "")
    values = {
        "CUDA_ROOT": root,
        "_HERE_": root / "bin",
        "TOP": root,
        "NVVMIR_LIBRARY_DIR": root / "nvvm" / "libdevice",
        "PATH": f"{root / 'bin'}:{path}",
        "INCLUDES": f'"-I{toolkit.include}"',
        "SYSTEM_INCLUDES": f'"-isystem" "{library}"' if library else "",
        "LIBRARIES": join_libraries(tools),
    }
    for name, value in values.items():
        yield f"{PREFIX}{name}={value}\n"


def join_libraries(tools: Tools) -> str:
    """Return the options for the linker as one text, which CMake searches for in a link line."""
    return " ".join(f'"{option}"' for option in list_library_options(tools))


def describe_command(command: Command, tools: Tools) -> str:
    """Return a command as a line of ``-v`` and ``--dryrun``."""
    known = dict(zip(list_library_options(tools), join_libraries(tools).split(" "), strict=True))
    words = (known.get(word, shlex.quote(word)) for word in command.argv)
    return f"{PREFIX}{' '.join(words)}\n"


def describe_device_compile(invocation: Invocation, source: str, architecture: str) -> str:
    """Return the line of ``-v`` for one compile of device code."""
    virtual = f"compute_{architecture.partition('-')[0]}"  # CMake expects a number
    name = "relocatable" if invocation.relocatable else "whole"
    return f"{PREFIX}kbuild compile -arch {virtual} --{name} {shlex.quote(source)}\n"


def describe_device_link(objects: tuple[Path, ...], output: Path) -> str:
    """Return the line of ``-v`` for a device link that kbuild does itself."""
    return f"{PREFIX}kbuild device-link {shlex.join(map(str, objects))} -o {output}\n"
