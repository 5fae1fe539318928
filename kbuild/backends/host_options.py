"""Select the options of a build type that also apply to device code."""

from __future__ import annotations

from typing import Final

# Instrumentation that a program must be linked for, and options for the host linker.
_HOST_ONLY: Final = (
    *("-flto", "-ffat-lto", "-fwhole-program", "-fuse-linker-plugin", "-fsanitize"),
    *("-fprofile", "-fcoverage", "-ftest-coverage", "--coverage"),
)
_MACHINE: Final = "-m"
_CODE_GENERATOR: Final = "-mllvm"  # its argument is the next word


def select_build_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options that control optimization, debug information, and the preprocessor.

    Options such as `-march` are left out, because ARCHITECTURES selects the machines that an
    image is for.
    """
    return tuple(
        option
        for option in options
        if not option.startswith(_HOST_ONLY)
        and (not option.startswith(_MACHINE) or option == _CODE_GENERATOR)
    )
