"""The options of host code whose macros device code needs, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends.host_options import drop_instrumentation, select_preprocessor_options

# The dates of the versions of OpenMP, as clang's InitPreprocessor.cpp has them.
_DATES: Final = {"31": 201107, "40": 201307, "45": 201511, "51": 202011, "52": 202111}
_DATE_OF_5_0: Final = 201811
_FIRST_WITH_5_1: Final = 16
# What clang would do in device code as well, or rejects there.
_HOST_CODE: Final = (
    *("-O", "-pg", "-mfentry", "-mretpoline", "-mbranch-protection", "-fcf-protection", "-fxray"),
    *("-finstrument", "-fpatchable", "-fzero-call-used-regs", "-ftrivial-auto-var-init"),
    *("-fsplit-stack", "-fstack-"),
)
_OPENMP: Final = re.compile(r"-fopenmp(?:=.*)?")
_VERSION: Final = "-fopenmp-version="


# The macros that may differ: those of the device, of the build type's level of optimization, and of
# the options that concern only the code of the host. For an unknown processor, clang has `____`.
PASS_MACROS: Final = re.compile(
    r"__HIP_DEVICE_COMPILE__|KBUILD_DEVICE_CODE|KBUILD_BACKEND_HIP"
    r"|__(?:amdgcn|AMDGCN)_\w+|__(?:gfx|GFX)\w+__"
    r"|____|FP_FAST_FMAF|__BITINT_MAXWIDTH__"
    r"|__LDBL_\w+|__SIZEOF_LONG_DOUBLE__|__code_model_\w*_|__(?:PIC|pic|PIE|pie)__|__NO_MATH_ERRNO__"
    r"|__OPTIMIZE__|__OPTIMIZE_SIZE__|__NO_INLINE__|__CET__|__SSP\w*__|__GCC_HAVE_DWARF2_CFI_ASM"
)


def list_host_options(options: tuple[str, ...], version: str) -> Iterator[str]:
    """Yield what the options of a mixed source for the host mean to device code.

    clang defines the macros of the host's machine in device code, but not the one of OpenMP.

    Args:
        options: The options.
        version: The version of clang.
    """
    selected = drop_instrumentation(select_preprocessor_options(options))
    yield from (option for option in selected if not option.startswith(_HOST_CODE))
    if selected:
        yield "-Wno-unused-command-line-argument"
    uses = [o for o in selected if _OPENMP.fullmatch(o) or o == "-fno-openmp"]
    if uses and uses[-1] != "-fno-openmp":
        yield f"-D_OPENMP={_find_date(selected, version)}"


def _find_date(options: tuple[str, ...], version: str) -> int:
    named = [o.removeprefix(_VERSION) for o in options if o.startswith(_VERSION)]
    if named:
        return _DATES.get(named[-1], _DATE_OF_5_0)
    is_new = int(version.partition(".")[0]) >= _FIRST_WITH_5_1
    return _DATES["51"] if is_new else _DATE_OF_5_0
