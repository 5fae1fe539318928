"""Select the options of a C++ compile that the link needs, too.

Sources: "Link Options" and "Program Instrumentation Options" in the manual of gcc 14, and "Clang
Compiler User's Manual" with its command line reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

# An option also matches with anything after it, such as `-fopenmp=libgomp`.
_PREFIXES: Final = (
    # Features with a runtime library, or with a start file.
    *("-fopenmp", "-fno-openmp", "-fopenacc", "-fgnu-tm", "-fsplit-stack", "-fcf-protection"),
    *("-ffast-math", "-funsafe-math-optimizations", "-Ofast", "-fblocks", "-fobjc"),
    # Instrumentation.
    *("-fsanitize", "-fno-sanitize", "-shared-libsan", "-static-libsan", "-fxray"),
    *("-fprofile", "-fno-profile", "-fcoverage", "-fcs-profile", "--coverage"),
    # Optimization by the linker.
    *("-flto", "-fno-lto", "-ffat-lto", "-fuse-linker-plugin", "-fno-use-linker-plugin"),
    *("-fwhole-program", "-fthinlto"),
    # The linker, and where the driver finds it, its start files, and its libraries.
    *("-fuse-ld", "--ld-path", "-B", "--sysroot", "--gcc-toolchain", "--gcc-install-dir"),
    *("-specs", "--config", "-stdlib", "-rtlib", "--rtlib", "-unwindlib", "--unwindlib"),
    # The machine, its ABI, and the kind of program.
    *("-m", "--target", "-static", "-shared-libgcc", "-nostdlib", "-Wl,"),
)
_WORDS: Final = (
    *("-p", "-pg", "-pthread", "-pie", "-no-pie", "-nopie", "-rdynamic", "-s"),
    *("-nodefaultlibs", "-nolibc", "-nostartfiles"),
)
# The next word is the option's argument.
_PAIRS: Final = ("-Xlinker", "-target", "-mllvm", "-T", "-u", "-z")


def select_link_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options that a compiler driver needs in both steps, as CMake's link options.

    An option with its argument in the next word becomes one option, because CMake removes
    repeated options.
    """
    return tuple(_select(options))


def _select(options: tuple[str, ...]) -> Iterator[str]:
    remaining = iter(options)
    for option in remaining:
        if option in _PAIRS:
            argument = next(remaining, "")
            yield f"SHELL:{option} {argument}"
        elif option in _WORDS or option.startswith(_PREFIXES):
            yield option
