"""Runs NVIDIA's tools for the tests, and parses their output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_OLDEST = (13, 5)
# Registers, stack (None if unknown), shared memory, local memory, and constant bank 0.
Usage = tuple[int, int | None, int, int, int]


def find_tool(name: str) -> str | None:
    """Find a tool in the toolkit's wheels, then in PATH, then in the usual prefix."""
    wheels = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*/bin"))
    places = [*map(str, wheels), os.environ.get("PATH", ""), "/usr/local/cuda/bin"]
    return shutil.which(name, path=os.pathsep.join(places))


def require_tool(name: str) -> str:
    """Return the path of a tool, or skip the test if it is missing or too old to compare with."""
    tool = find_tool(name)
    if tool is None:
        pytest.skip(f"no {name}: neither in NVIDIA's wheels nor on PATH nor in /usr/local/cuda")
    found = re.search(r"release (\d+)\.(\d+)", run(tool, "--version"))
    if found is None or tuple(map(int, found.groups())) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        pytest.skip(f"{tool} is older than {oldest}, which is the first to print symbol types")
    return tool


def run(*argv: str | Path) -> str:
    """Return the output of a tool, or fail the test if the tool fails."""
    finished = subprocess.run([*map(str, argv)], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout + finished.stderr


@dataclass(kw_only=True)
class DumpedImage:
    """An image in the output of ``cuobjdump -elf -ptx``."""

    kind: str
    arch: str = ""
    code_version: tuple[int, int] = (0, 0)
    is_compressed: bool = False
    is_debug: bool = False
    identifier: str = ""
    options: str = ""
    kernels: set[str] = field(default_factory=set)
    variables: set[tuple[str, int]] = field(default_factory=set)
    params: dict[str, set[tuple[int, int, int]]] = field(default_factory=dict)
    max_threads: dict[str, tuple[int, int, int]] = field(default_factory=dict)


_IMAGE = re.compile(r"(\s*)Fatbin (elf|ptx|nvvm|concatenated entry) code:$")
_SECTION = re.compile(r"(\.\S+)$")
_SYMBOL = re.compile(
    r"\s+0x[0-9a-f]+\s+(?:0|0x[0-9a-f]+)\s+(0|0x[0-9a-f]+)\s+(\S+)\s+(LOCAL|GLOBAL|WEAK)\s+"
    r"\S+\s+(\S+(?: +\S+)*?)\s+(0|0x[0-9a-f]+)\s+(\S+)$"
)
_PARAM = re.compile(
    r"\s+Value:\s+Index : \S+\s+Ordinal : (\S+)\s+Offset  : (\S+)\s+Size    : (\S+)"
)


def dump_images(cuobjdump: str, path: Path) -> list[DumpedImage]:
    """Return every image that cuobjdump finds in ``path``, in the order of its output."""
    images: list[DumpedImage] = []
    attribute = section = ""
    for line in _stream(cuobjdump, "-all", "-elf", "-ptx", path):
        if found := _IMAGE.match(line):
            # The members of a concatenated entry are indented. They are compressed together.
            images.append(DumpedImage(kind=found[2], is_compressed=bool(found[1])))
            continue
        if not images:
            continue
        image = images[-1]
        text = line.strip()
        _read_header(image, text)
        if found := _SECTION.match(line):
            section = found[1]
        if found := _SYMBOL.match(line):
            _read_symbol(image, found)
        elif text.startswith("Attribute:"):
            attribute = text.split()[-1]
        elif section.startswith(".nv.info.") and text.startswith("Value:"):
            name = section.removeprefix(".nv.info.")
            if attribute in {"EIATTR_KPARAM_INFO", "EIATTR_KPARAM_INFO_V2"}:
                found = _PARAM.match(line)
                assert found, line
                numbers = (int(found[1], 16), int(found[2], 16), int(found[3], 16))
                image.params.setdefault(name, set()).add(numbers)
            elif attribute == "EIATTR_MAX_THREADS":
                x, y, z = (int(number, 16) for number in text.split()[1:])
                image.max_threads[name] = (x, y, z)
    return [image for image in images if image.kind != "concatenated entry"]


def _read_header(image: DumpedImage, text: str) -> None:
    key, _, value = text.partition(" = ")
    if key == "arch":
        image.arch = value
    elif key == "code version":
        major, minor = value.strip("[]").split(",")
        image.code_version = (int(major), int(minor))
    elif key == "identifier":
        image.identifier = value
    elif key in {"ptxasOptions", "nvvmOptions"}:
        image.options = value
    elif text == "compressed":
        image.is_compressed = True
    elif text == "has debug info":
        image.is_debug = True


def _read_symbol(image: DumpedImage, found: re.Match[str]) -> None:
    size, kind, _, other, section, name = found.groups()
    if section != "0" and kind == "FUNC" and "ENTRY" in other:
        image.kernels.add(name)
    elif section != "0" and kind in {"OBJECT", "CUDA_OBJECT"}:
        image.variables.add((name, int(size, 16)))


_FUNCTION = re.compile(r"\s*Function (\S+):$")
_USAGE = re.compile(
    r"\s*REG:(\d+) STACK:(\d+|UNKNOWN) SHARED:(\d+) LOCAL:(\d+)(?:.* CONSTANT\[0\]:(\d+))?"
)


def dump_usage(cuobjdump: str, path: Path) -> list[dict[str, Usage]]:
    """Return the output of ``cuobjdump -res-usage`` for each ELF image, by function."""
    images: list[dict[str, Usage]] = []
    name = ""
    for line in _stream(cuobjdump, "-all", "-res-usage", path):
        if line.strip() == "Resource usage:":
            images.append({})
        elif found := _FUNCTION.match(line):
            name = found[1]
        elif found := _USAGE.match(line):
            stack = None if found[2] == "UNKNOWN" else int(found[2])
            registers, shared, local, constant = (int(found[n] or 0) for n in (1, 3, 4, 5))
            images[-1][name] = (registers, stack, shared, local, constant)
    return images


def _stream(*argv: str | Path) -> Iterator[str]:
    with subprocess.Popen([*map(str, argv)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield from (line.rstrip("\n") for line in process.stdout)
    assert process.returncode == 0
