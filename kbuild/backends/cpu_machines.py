"""The machines that CPU images are for, and what compilers and binutils are told of them."""

from __future__ import annotations

import os
from typing import Final

from kbuild.backends.protocol import Toolchain

# x86-64 psABI, "micro-architecture levels"; the first is what every machine has.
LEVELS: Final = {
    "x86_64": ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
    "aarch64": ("aarch64",),
}
MACHINES: Final = {arch: machine for machine, levels in LEVELS.items() for arch in levels}
_MARCH: Final = {"aarch64": "armv8-a"}


def own_machine() -> str:
    """The architecture that programs of this machine have, as the kernel names it."""
    return os.uname().machine


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
