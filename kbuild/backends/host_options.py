"""What of a build type's flags, which are the host's, is meant for device code as well."""

from __future__ import annotations

from typing import Final

# Instruments that programs are linked for, and what a linker is to make of objects.
_HOST_ALONE: Final = (
    *("-flto", "-ffat-lto", "-fwhole-program", "-fuse-linker-plugin", "-fsanitize"),
    *("-fprofile", "-fcoverage", "-ftest-coverage", "--coverage"),
)
_OF_MACHINES: Final = "-m"
_OF_CODE_GENERATORS: Final = "-mllvm"  # whose argument follows


def select_build_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Those that say how to optimise, to debug and to preprocess.

    Which machines an image is for is ARCHITECTURES' to say: `-march` and its like are left out.
    """
    return tuple(
        option
        for option in options
        if not option.startswith(_HOST_ALONE)
        and (not option.startswith(_OF_MACHINES) or option == _OF_CODE_GENERATORS)
    )
