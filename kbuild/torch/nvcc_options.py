"""Divide the options of nvcc in a ``setup.py`` among the settings of a kernel target."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from kbuild.errors import ConfigurationError

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


@dataclass(frozen=True, slots=True, kw_only=True)
class NvccOptions:
    """Options of nvcc.

    Attributes:
        architectures: As ``ARCHITECTURES`` spells them.
        standard: The C++ standard, or None.
        host_compiler: The compiler after ``-ccbin``, or None.
        is_relocatable: Whether the device code of the sources is linked (RDC).
        device: All other options, for both passes of nvcc.
        host: The options with which nvcc calls the host compiler.
    """

    architectures: tuple[str, ...] = ()
    standard: str | None = None
    host_compiler: str | None = None
    is_relocatable: bool = False
    device: tuple[str, ...] = ()
    host: tuple[str, ...] = ()


@dataclass
class _Collected:
    arch: str | None = None
    codes: list[str] = field(default_factory=list)
    architectures: list[str] = field(default_factory=list)
    standard: str | None = None
    compiler: str | None = None
    is_relocatable: bool = False
    device: list[str] = field(default_factory=list)
    host: list[str] = field(default_factory=list)


def read_nvcc_options(words: Iterable[str]) -> NvccOptions:
    """Divide a command line of nvcc.

    Raises:
        ConfigurationError: An option lacks its value, or requests code that kbuild cannot build.
    """
    found = _Collected()
    remaining = iter(words)
    for word in remaining:
        name, separator, value = word.partition("=")
        meaning = _VALUES.get(name)
        if meaning is not None:
            _take(found, meaning, word, value if separator else _read_value(name, remaining))
        elif word in _RELOCATABLE:
            found.is_relocatable = True
        else:
            found.device.append(word)
            host = _HOST_SPELLINGS.get(word, word)
            if _HOST.fullmatch(host):
                found.host.append(host)
    if found.arch is not None:
        found.architectures += _read_arch(found.arch, found.codes)
    elif found.codes:
        raise ConfigurationError(
            f"nvcc option '-code={','.join(found.codes)}' without '-arch'; use "
            "'-gencode=arch=...,code=...'"
        )
    return NvccOptions(
        architectures=tuple(dict.fromkeys(found.architectures)),
        standard=found.standard,
        host_compiler=found.compiler,
        is_relocatable=found.is_relocatable,
        device=tuple(found.device),
        host=tuple(found.host),
    )


def _read_value(name: str, remaining: Iterator[str]) -> str:
    value = next(remaining, None)
    if value is None:
        raise ConfigurationError(f"nvcc option '{name}' without a value; add the value")
    return value


def _take(found: _Collected, meaning: str, word: str, value: str) -> None:
    if meaning == "gencode":
        found.architectures += _read_gencode(value)
    elif meaning == "arch":
        found.arch = value
    elif meaning == "code":
        found.codes += value.split(",")
    elif meaning == "standard":
        found.standard = _read_standard(word, value)
    elif meaning == "compiler":
        found.compiler = value
    elif meaning == "relocatable":
        found.is_relocatable = value == "true"
    elif meaning == "host":
        found.device += ("-Xcompiler", value)
        found.host += _split_host_options(value)


def _read_standard(word: str, value: str) -> str:
    match = re.fullmatch(r"(?:c|gnu)\+\+(\w+)", value)
    if match is None:
        raise ConfigurationError(f"nvcc option '{word}': unknown standard '{value}'; write c++17")
    return match[1]


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
