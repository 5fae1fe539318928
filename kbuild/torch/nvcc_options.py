"""Divide the options of nvcc in a ``setup.py`` among the settings of a kernel target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.architectures import Image, read_images
from kbuild.nvcc.command_line.given import GivenOption, GivenOptions
from kbuild.nvcc.command_line.tool_options import list_host_options
from kbuild.nvcc.command_line.words import CommandLine, divide
from kbuild.project.manifest.tables import TargetTable
from kbuild.values import replace

# Options that become settings. ninja decides what runs at the same time.
_SETTINGS: Final = (
    *("--gpu-architecture", "--gpu-code", "--generate-code", "--relocatable-device-code"),
    *("--device-c", "--std", "--compiler-bindir", "--threads"),
)


def read_nvcc_options(table: TargetTable, words: Iterable[str]) -> TargetTable:
    """Return the settings of a kernel target with those that a command line of nvcc requests.

    Options without a setting of their own become ``compile_options``, for both passes of nvcc. The
    ``host_options`` are those with which nvcc calls the host compiler.

    Raises:
        ConfigurationError: An option is unknown or lacks its value, or requests code that kbuild
            cannot build.
    """
    line = divide(tuple(words), {})
    given = line.options
    if line.inputs:
        raise ConfigurationError(
            f"'{line.inputs[0]}' among nvcc's options is not an option; list sources in 'sources'"
        )
    standard, compiler = given.find("--std"), given.find_value("--compiler-bindir")
    rdc = given.find_value("--relocatable-device-code") or str(given.has("--device-c")).lower()
    return replace(
        table,
        architectures=tuple(dict.fromkeys(map(_name_architecture, read_images(given)))),
        device_standard=_read_standard(standard) if standard else table.device_standard,
        host_compiler=compiler or table.host_compiler,
        rdc=rdc == "true",
        compile_options=tuple(_list_device_options(line)),
        host_options=tuple(_list_host_options(given, line.to_compiler)),
    )


def _name_architecture(image: Image) -> str:
    """Return the architecture in CMake's spelling, if both compilers give it the same meaning."""
    code = image.code
    if code is not None and image.arch.partition("_")[2] != code.partition("_")[2]:
        raise ConfigurationError(
            f"nvcc code '{code}' for architecture '{image.arch}': kbuild compiles each code for "
            f"its own architecture; write 'arch={code.replace('sm_', 'compute_')},code={code}'"
        )
    return image.name


def _read_standard(given: GivenOption) -> int:
    match = re.fullmatch(r"(?:c|gnu)\+\+(\d+)", given.value)
    if match is None:
        raise ConfigurationError(
            f"nvcc option '{given.text}': unknown standard '{given.value}'; write c++17"
        )
    return int(match[1])


def _list_device_options(line: CommandLine) -> Iterator[str]:
    for one in line.options:
        if one.option.name == "--compiler-options":
            yield from ("-Xcompiler", one.value)
        elif one.option.name not in _SETTINGS:
            yield from one.words
    yield from line.to_compiler


def _list_host_options(given: GivenOptions, forwarded: tuple[str, ...]) -> Iterator[str]:
    yield from list_host_options(given, forwarded)
    level = given.find_value("--optimize")
    if level is not None:
        yield f"-O{level}"
    if given.has("--debug"):
        yield "-g"
