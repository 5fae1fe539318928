"""Divide the options of nvcc in a ``setup.py`` among the settings of a kernel target."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from kbuild.errors import ConfigurationError
from kbuild.project.manifest import TargetTable

_CODE: Final = re.compile(r"(?P<kind>sm|compute)_(?P<number>\d+[af]?)")
_GROUPS: Final = ("native", "all", "all-major")
# Options with a value: `--name value`, or `--name=value`. The values have these meanings.
_VALUES: Final = {
    "-gencode": "gencode",
    "--generate-code": "gencode",
    "-arch": "arch",
    "--gpu-architecture": "arch",
    "-code": "code",
    "--gpu-code": "code",
    "-std": "standard",
    "--std": "standard",
    "-ccbin": "compiler",
    "--compiler-bindir": "compiler",
    "-Xcompiler": "host",
    "--compiler-options": "host",
    "-rdc": "relocatable",
    "--relocatable-device-code": "relocatable",
    # ninja decides what runs at the same time.
    "-t": "threads",
    "--threads": "threads",
}
_RELOCATABLE: Final = ("-dc", "--device-c")
# nvcc passes these on to the host compiler.
_HOST: Final = re.compile(r"-O\w+|-g|-pg")
_HOST_SPELLINGS: Final = {"--debug": "-g", "--profile": "-pg"}


# An option: what it means (None for all others), the word, and its value or the word itself.
_Option: TypeAlias = tuple[str | None, str, str]


def read_nvcc_options(table: TargetTable, words: Iterable[str]) -> TargetTable:
    """Return the settings of a kernel target with those that a command line of nvcc requests.

    Options without a setting of their own become ``compile_options``, for both passes of nvcc. The
    ``host_options`` are those with which nvcc calls the host compiler.

    Raises:
        ConfigurationError: An option lacks its value, or requests code that kbuild cannot build.
    """
    options = tuple(_divide(words))
    values = {meaning: (word, value) for meaning, word, value in options}  # the last one counts
    standard, compiler = values.get("standard"), values.get("compiler")
    return replace(
        table,
        architectures=tuple(dict.fromkeys(_list_architectures(options))),
        device_standard=_read_standard(*standard) if standard else table.device_standard,
        host_compiler=compiler[1] if compiler else table.host_compiler,
        rdc="relocatable" in values and values["relocatable"][1] == "true",
        compile_options=tuple(_list_device_options(options)),
        host_options=tuple(_list_host_options(options)),
    )


def _divide(words: Iterable[str]) -> Iterator[_Option]:
    remaining = iter(words)
    for word in remaining:
        name, separator, value = word.partition("=")
        meaning = _VALUES.get(name)
        if meaning is not None:
            yield meaning, word, value if separator else _read_value(name, remaining)
        elif word in _RELOCATABLE:
            yield "relocatable", word, "true"
        else:
            yield None, word, word


def _read_value(name: str, remaining: Iterator[str]) -> str:
    value = next(remaining, None)
    if value is None:
        raise ConfigurationError(f"nvcc option '{name}' without a value; add the value")
    return value


def _list_device_options(options: tuple[_Option, ...]) -> Iterator[str]:
    for meaning, _, value in options:
        if meaning == "host":
            yield from ("-Xcompiler", value)
        elif meaning is None:
            yield value


def _list_host_options(options: tuple[_Option, ...]) -> Iterator[str]:
    for meaning, _, value in options:
        if meaning == "host":
            yield from _split_host_options(value)
        elif meaning is None and _HOST.fullmatch(option := _HOST_SPELLINGS.get(value, value)):
            yield option


def _list_architectures(options: tuple[_Option, ...]) -> Iterator[str]:
    arch = None
    codes: list[str] = []
    for meaning, _, value in options:
        if meaning == "gencode":
            yield from _read_gencode(value)
        elif meaning == "arch":
            arch = value
        elif meaning == "code":
            codes += value.split(",")
    if arch is not None:
        yield from _read_arch(arch, codes)
    elif codes:
        raise ConfigurationError(
            f"nvcc option '-code={','.join(codes)}' without '-arch'; use "
            "'-gencode=arch=...,code=...'"
        )


def _read_standard(word: str, value: str) -> int:
    match = re.fullmatch(r"(?:c|gnu)\+\+(\d+)", value)
    if match is None:
        raise ConfigurationError(f"nvcc option '{word}': unknown standard '{value}'; write c++17")
    return int(match[1])


def _split_host_options(value: str) -> Iterator[str]:
    """Yield the options in a value of ``-Xcompiler``, which nvcc splits at commas."""
    for word in shlex.split(value):
        yield from (word,) if word.startswith("-Wl,") else word.split(",")


def _read_gencode(value: str) -> Iterator[str]:
    """Yield the architectures in a value such as ``arch=compute_90,code=[sm_90,compute_90]``."""
    match = re.fullmatch(
        r"arch=(\w+),code=(?:\[([\w,]+)\]|([\w,]+))", re.sub(r"[\s\"']", "", value)
    )
    if match is None:
        raise ConfigurationError(
            f"nvcc option '-gencode={value}': expected a value such as 'arch=compute_90,code=sm_90'"
        )
    return _read_arch(match[1], (match[2] or match[3]).split(","))


def _read_arch(arch: str, codes: Iterable[str]) -> Iterator[str]:
    """Yield the architectures of code that is compiled for ``arch``."""
    if arch in _GROUPS:
        yield arch
        return
    target = _CODE.fullmatch(arch)
    if target is None:
        raise ConfigurationError(
            f"nvcc architecture '{arch}' is unknown; expected a name such as 'sm_90'"
        )
    requested = tuple(codes)
    if not requested:  # sm_90 is short for compute_90 with both codes
        yield target["number"] if target["kind"] == "sm" else f"{target['number']}-virtual"
    for code in requested:
        image = _CODE.fullmatch(code)
        if image is None or image["number"] != target["number"]:
            raise ConfigurationError(
                f"nvcc code '{code}' for architecture '{arch}': kbuild compiles each code for its "
                f"own architecture; write 'arch={code.replace('sm_', 'compute_')},code={code}'"
            )
        yield f"{image['number']}-{'real' if image['kind'] == 'sm' else 'virtual'}"
