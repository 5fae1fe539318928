"""The machines that CPU images are for, and their options for compilers and binutils."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from kbuild.backends.host_options import select_machine_options
from kbuild.backends.interface.build import ARCHITECTURE_FIX
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ConfigurationError, suggest

# x86-64 psABI, "micro-architecture levels". Every machine has the first one.
LEVELS: Final = {
    "x86_64": ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
    "aarch64": ("aarch64",),
}
MACHINES: Final = {arch: machine for machine, levels in LEVELS.items() for arch in levels}
# The features that a level adds to the previous one, as Linux's /proc/cpuinfo spells them.
# There, the psABI's LZCNT is `abm`, and OSXSAVE is `xsave`.
_FLAGS: Final = {
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
    "x86-64-v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
# Those that compilers spell in another way.
_FEATURES: Final = {
    "abm": "lzcnt",
    "bmi1": "bmi",
    "lahf_lm": "sahf",
    "sse4_1": "sse4.1",
    "sse4_2": "sse4.2",
}
_DEFAULTS: Final = frozenset({"x86-64", "x86-64-v3", "aarch64"})
_NATIVE: Final = "native"
_PROCESSOR: Final = Path("/proc/cpuinfo")
_MARCH: Final = {"aarch64": "armv8-a"}


def own_machine() -> str:
    """Return the architecture of this machine's programs, as the kernel names it."""
    return os.uname().machine


def expand(requested: tuple[str, ...], machine: str | None = None) -> tuple[str, ...]:
    """Return the levels to compile for: by default, the machine's baseline, and x86-64-v3.

    Args:
        requested: The levels that the user names.
        machine: The machine that the host code is for; None for this machine.

    Raises:
        ConfigurationError: A level is unknown, kbuild does not support the machine, or it is not
            this one, which ``native`` means.
    """
    own = _list_own_levels(machine)
    if machine not in (None, own_machine()) and _NATIVE in requested:
        raise ConfigurationError(
            f"architecture {_NATIVE} is this machine's, {own_machine()}, but the host compiler "
            f"makes programs for {machine}; name one of {', '.join(own)}"
        )
    named = tuple(find_best_level() if arch == _NATIVE else arch for arch in requested)
    for arch in named:
        if arch not in MACHINES:
            raise ConfigurationError(
                f"unknown architecture {arch!r} for backend cpu; expected one of "
                f"{', '.join((*MACHINES, _NATIVE))}; "
                f"{suggest(arch, MACHINES).removeprefix('; ') or ARCHITECTURE_FIX}"
            )
    return tuple(dict.fromkeys(named)) or tuple(level for level in own if level in _DEFAULTS)


def _list_own_levels(machine: str | None = None) -> tuple[str, ...]:
    levels = LEVELS.get(machine or own_machine())
    if levels is None:
        raise ConfigurationError(
            f"backend cpu does not support machine {machine or own_machine()!r}; expected one of "
            f"{', '.join(LEVELS)}"
        )
    return levels


def find_best_level(processor: Path = _PROCESSOR) -> str:
    """Return the highest level that this machine runs; the lowest one if it does not say."""
    levels = _list_own_levels()
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


def list_levels(best: str | None = None) -> tuple[str, ...]:
    """Return the levels that this machine runs, the best one first.

    Args:
        best: The best level to return. An empty text or None stands for that of the machine.
    """
    levels = LEVELS[own_machine()]
    best = best or find_best_level()
    return levels[levels.index(best) :: -1] if best in levels else ()


def code_generation_flags(arch: str, tc: Toolchain) -> tuple[str, ...]:
    """Return the options with which every object of an image is compiled."""
    flags = [
        *target_flags(arch, tc),
        *("-fPIC", f"-march={_MARCH.get(arch, arch)}", "-fvisibility=default"),
    ]
    # Kernels access an `extern __shared__` array as values of several types, which nvcc allows.
    # With optimizations that assume strict aliasing, they would read stale values.
    flags.append("-fno-strict-aliasing")
    # Device arithmetic neither traps nor sets errno. Compilers vectorize more with these options.
    flags += ["-fno-trapping-math", "-fno-math-errno"]
    # Lanes of two branches that call one function are told apart by the calls on their stacks.
    flags.append("-fno-optimize-sibling-calls")
    if tc.compiler_id == "gcc":
        # A unique symbol would be shared between images and prevent their unloading. `extern
        # __shared__` arrays are never initialized at run time. Identical kernels stay two
        # functions (clang merges them only on request, and then keeps both names).
        flags += ["-fno-gnu-unique", "-fno-extern-tls-init", "-fno-ipa-icf"]
        # -O3 vectorizes the loops over threads, and so does clang at -O2. Without optimization, the
        # options have no effect.
        flags += ["-ftree-vectorize", "-fvect-cost-model=dynamic", "-fsplit-loops"]
        # Several loops in the place of one can compute a number in each of them, and round it in
        # different ways: with or without a contraction.
        flags.append("-fno-tree-loop-distribution")
        # Without this option, as at -O1, gcc does not reset the upper halves of vector registers
        # when a function ends. Then a change between code with and without AVX takes about 100 ns.
        flags.append("-fexpensive-optimizations")
        # Two calls of one function stay two.
        flags.append("-fno-crossjumping")
        # So that a thread with much memory on its stack does not skip the guard page below it.
        flags.append("-fstack-clash-protection")
    return tuple(flags)


def select_host_machine(arch: str, tc: Toolchain, host_options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options for a machine with the instructions of the host code and of ``arch``.

    A text that was preprocessed with the host's options can use all instructions that they select.
    They follow the option for ``arch``.
    """
    if is_foreign_to_host(arch, tc):
        return ()
    options = select_machine_options(host_options)
    if not any(option.startswith(("-march=", "-mcpu=")) for option in options):
        return options
    levels = LEVELS[MACHINES[arch]]
    features = (
        f"-m{_FEATURES.get(flag, flag)}"
        for level in levels[: levels.index(arch) + 1]
        for flag in sorted(_FLAGS.get(level, ()))
    )
    return (*options, *features)


def list_macros(arch: str) -> tuple[str, ...]:
    """Return the macros that tell kbuild's headers what the machine of ``arch`` has.

    Those of compilers follow the options of the host, in both passes of a mixed source.
    """
    levels = LEVELS[MACHINES[arch]]
    known = {flag for level in levels[: levels.index(arch) + 1] for flag in _FLAGS.get(level, ())}
    return ("-DKBUILD_CPU_F16C=1",) if "f16c" in known else ()


def target_flags(arch: str, tc: Toolchain) -> tuple[str, ...]:
    """Return the options that select the machine of ``arch`` for compiling and linking."""
    if tc.compiler_id == "clang" and MACHINES[arch] != (tc.machine or own_machine()):
        return (f"--target={name_triple(MACHINES[arch])}",)
    return ()


def name_objcopy(arch: str, tc: Toolchain) -> str:
    """Name the objcopy that reads objects of ``arch``: binutils support only their own machine."""
    machine = MACHINES[arch]
    if tc.objcopy and machine == (tc.machine or own_machine()):
        return str(tc.objcopy)
    return "objcopy" if machine == own_machine() else f"{name_triple(machine)}-objcopy"


def is_foreign_to_host(arch: str, tc: Toolchain) -> bool:
    """Return whether programs with the host code cannot load an image of ``arch``."""
    return MACHINES[arch] != (tc.host_machine or own_machine())


def name_triple(machine: str) -> str:
    """Return the prefix of cross tools, as Debian, Fedora, and clang spell it."""
    return f"{machine}-linux-gnu"
