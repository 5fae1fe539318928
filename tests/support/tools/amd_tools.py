"""Runs LLVM's tools for the tests of AMD's formats, and parses their output."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.tools.toolchains import explain_defect, find_missing

# Compiles and links an empty file for a device.
_TRIAL = (
    *("-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "--offload-arch=gfx900"),
    *("-nogpuinc", "-nogpulib"),
)
# Options of hipcc for sources about whose files, and not about HIP's headers, a test is.
SMALL_HEADERS = ("-nogpuinc", f"-I{Path(__file__).parent / 'small_hip'}")
VERSIONS = ("", "-19", "-18", "-17", "-16", "-15", "-14")


def require_tool(name: str) -> str:
    """Return the path of the tool's newest version. Skip the test if it does not work."""
    names = [name] if re.search(r"-\d+$", name) else [name + version for version in VERSIONS[1:]]
    for candidate in (*names, name):
        if tool := shutil.which(candidate):
            if re.match(r"clang(-\d+)?$", candidate) and (defect := explain_defect(tool, *_TRIAL)):
                pytest.skip(defect)
            return tool
    pytest.skip(find_missing(name))


def run(*argv: str | Path) -> str:
    """Return the output of a tool, or fail the test if the tool fails."""
    finished = subprocess.run([*map(str, argv)], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@dataclass(kw_only=True)
class DumpedKernel:
    """A kernel in the output of ``llvm-readobj --notes``. Keys omit the dot."""

    values: dict[str, str] = field(default_factory=dict)
    arguments: list[dict[str, str]] = field(default_factory=list)
    block: list[int] = field(default_factory=list)


_LINE = re.compile(r"( *)(- )?(?:(\.\w+): *)?(.*)$")
_KERNEL, _ARGUMENT = 2, 6


def dump_metadata(path: Path) -> tuple[str | None, dict[str, DumpedKernel]]:
    """Return the target in the metadata, and its kernels by symbol."""
    text = run(require_tool("llvm-readobj"), "--notes", path)
    kernels: list[DumpedKernel] = []
    target, in_kernels, last = None, False, ""
    for line in text.splitlines():
        if line.startswith(("amdhsa.", "...")):
            in_kernels = line.startswith("amdhsa.kernels")
            if line.startswith("amdhsa.target"):
                target = line.split(":", 1)[1].strip().strip("'").split("-", 4)[4]
            continue
        if not in_kernels:
            continue
        found = _LINE.match(line)
        assert found, line
        indent, dash, key, value = len(found[1]), found[2], found[3], found[4].strip("'")
        if dash and indent == _KERNEL:
            kernels.append(DumpedKernel())
        if dash and indent == _ARGUMENT and key:
            kernels[-1].arguments.append({})
        if key is None:
            if last == ".reqd_workgroup_size":
                kernels[-1].block.append(int(value))
            continue
        last = key
        if indent + (2 if dash else 0) > _ARGUMENT:
            kernels[-1].arguments[-1][key[1:]] = value
        else:
            kernels[-1].values[key[1:]] = value
    return target, {kernel.values["symbol"]: kernel for kernel in kernels}


_SYMBOL = re.compile(
    r"\s*\d+: ([0-9a-f]{16})\s+(\S+) (\S+)\s+(LOCAL|GLOBAL|WEAK)\s+\S+\s+(\S+) (\S+)$"
)


def dump_symbols(path: Path) -> dict[str, tuple[str, int, str]]:
    """Return the kind, size, and binding of each symbol that ``llvm-readelf`` shows as defined."""
    symbols: dict[str, tuple[str, int, str]] = {}
    for line in run(require_tool("llvm-readelf"), "-sW", path).splitlines():
        found = _SYMBOL.match(line)
        if found and found[5].isdigit():
            symbols[found[6]] = (found[3], int(found[2], 0), found[4])
    return symbols


def dump_flags(path: Path) -> str | None:
    """Return the target id that ``llvm-readelf`` derives from the flags; None if unknown to it."""
    text = run(require_tool("llvm-readelf"), "-h", path)
    found = re.search(r"Flags: +0x[0-9A-F]+, (gfx\S*?)(?:,|$)(.*)", text, re.MULTILINE)
    if not found:
        return None
    features = [re.search(rf"\b{name}[+-]", found[2]) for name in ("sramecc", "xnack")]
    return ":".join([found[1], *(feature[0] for feature in features if feature)])
