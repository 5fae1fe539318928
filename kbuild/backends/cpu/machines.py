"""The machines that CPU images are for, and what compilers and binutils are told of them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ConfigurationError

# x86-64 psABI, "micro-architecture levels"; the first is what every machine has.
LEVELS: Final = {
    "x86_64": ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
    "aarch64": ("aarch64",),
}
MACHINES: Final = {arch: machine for machine, levels in LEVELS.items() for arch in levels}
# What each has above the one before, in the words of Linux's /proc/cpuinfo; the psABI's LZCNT
# is `abm` there, OSXSAVE shows as `xsave`.
_FLAGS: Final = {
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
    "x86-64-v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
_PROCESSOR: Final = Path("/proc/cpuinfo")
_MARCH: Final = {"aarch64": "armv8-a"}


def own_machine() -> str:
    """The architecture that programs of this machine have, as the kernel names it."""
    return os.uname().machine


def find_best_level(processor: Path = _PROCESSOR) -> str:
    """The highest level that this machine runs: the first one where it does not say."""
    levels = LEVELS.get(own_machine())
    if levels is None:
        raise ConfigurationError(f"no images are made for machine {own_machine()!r}")
    try:
        text = processor.read_text()
    except OSError:
        return levels[0]
    found = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    flags = set(found[1].split()) if found else set()
    best = levels[0]
    for level in levels[1:]:
        if not _FLAGS[level] <= flags:
            break
        best = level
    return best


def code_generation_flags(arch: str, tc: Toolchain) -> tuple[str, ...]:
    """What every object of an image is compiled with."""
    flags = [
        *target_flags(arch, tc),
        *("-fPIC", f"-march={_MARCH.get(arch, arch)}", "-fvisibility=default"),
    ]
    # An `extern __shared__` array is memory that kernels read and write as values of several
    # types, which nvcc lets them: to optimise on the types' account would read stale ones.
    flags.append("-fno-strict-aliasing")
    if tc.compiler_id == "gcc":
        # A unique symbol would be bound across images and keep them from being unloaded;
        # `extern __shared__` arrays are never initialised at run time; kernels that do the
        # same stay two functions (clang merges none unless asked, and then keeps names).
        flags += ["-fno-gnu-unique", "-fno-extern-tls-init", "-fno-ipa-icf"]
    return tuple(flags)


def target_flags(arch: str, tc: Toolchain) -> tuple[str, ...]:
    """What compiles and links need besides, to be for the machine of ``arch``."""
    if tc.compiler_id == "clang" and is_foreign(arch):
        return (f"--target={name_triple(MACHINES[arch])}",)
    return ()


def name_objcopy(arch: str) -> str:
    """The objcopy that reads objects of ``arch``: binutils know their own machine alone."""
    return f"{name_triple(MACHINES[arch])}-objcopy" if is_foreign(arch) else "objcopy"


def is_foreign(arch: str) -> bool:
    """Whether programs of this machine cannot load an image of ``arch``."""
    return MACHINES[arch] != own_machine()


def name_triple(machine: str) -> str:
    """The prefix of cross tools, as Debian, Fedora and clang write it."""
    return f"{machine}-linux-gnu"
