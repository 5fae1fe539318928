"""The options that instrument device code for checks; see native/cpu/checks.

Compilers insert calls before accesses to memory, and the image defines what they call; see
``kbuild/detail/cpu_check_hooks.h``. No library of a sanitizer is linked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.toolchain import Toolchain

# Headers and kernel texts test the macro.
_MACRO: Final = "-DKBUILD_CHECKED=1"
# Shifts of negative values are common in device code, and defined since C++20. Compilers can
# access the parts of a misaligned vector one by one. The size of an object is known where the
# compiler sees the local variable that a pointer starts from.
_UNDEFINED: Final = "-fsanitize=bounds,alignment,object-size,shift-exponent,integer-divide-by-zero"
# Pointers to local variables are known in functions that the compiler inlines.
_INLINING: Final = ("-finline-functions", "-finline-small-functions")
# Local variables start with a pattern that results do not contain by chance. clang's is common.
_FIRST_WITH_PATTERN: Final = 12
# Otherwise, compilers copy memory without a call, and remove accesses to memory that is freed.
_COPIES: Final = tuple(f"-fno-builtin-{name}" for name in ("memcpy", "memmove", "memset"))
# The functions of ``host_checks.h`` that compilers would replace by accesses of their own.
_HOST_TEXTS: Final = tuple(
    f"-fno-builtin-{name}"
    for name in (
        *(
            "memcmp",
            "bcmp",
            "memchr",
            "strlen",
            "strnlen",
            "strcmp",
            "strncmp",
            "strchr",
            "strrchr",
        ),
        *("strstr", "strcpy", "stpcpy", "strncpy", "strcat", "strncat", "sprintf", "snprintf"),
    )
)
# Otherwise, the return address of a call at the end of a function is in its caller.
_LINES: Final = "-fno-optimize-sibling-calls"
_LIBRARY: Final = (*_COPIES, "-fno-builtin-malloc", "-fno-builtin-free")
# What device code calls for memory; the last ones are operator new, new[], delete, and delete[].
_RENAMED: Final = (
    *("memcpy", "memmove", "memset", "malloc", "free"),
    *("_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"),
)
_PARAMETERS: Final = {
    "gcc": (
        "--param=tsan-distinguish-volatile=1",
        "--param=tsan-instrument-func-entry-exit=0",
        "-Wno-tsan",  # fences have a hook, too
    ),
    "clang": (
        *("-mllvm", "-tsan-distinguish-volatile=1"),
        *("-mllvm", "-tsan-instrument-func-entry-exit=0"),
        # Otherwise, the read of a sum is left out, because a write to the same address follows.
        *("-mllvm", "-tsan-instrument-read-before-write=1"),
    ),
}


def source_options() -> tuple[str, ...]:
    """Return the last options for reading a source.

    The fortified functions of the C library, which some distributions turn on, copy and fill
    memory without a call. Findings name the line that calls a function of the host API.
    """
    return ("-U_FORTIFY_SOURCE", "-DKBUILD_CHECKED_HOST_API=1")


def text_options() -> tuple[str, ...]:
    """Return the options for all steps that read the text of a source."""
    return (_MACRO,)


def code_options(unit: CompileUnit, tc: Toolchain) -> Iterator[str]:
    """Yield the options for the compiler. More optimization would combine accesses."""
    yield from ("-fsanitize=thread", *_PARAMETERS.get(tc.compiler_id, ()))
    yield from (_UNDEFINED, *_LIBRARY, _LINES)
    # Compilers expand the built-in functions without calls.
    yield from (f"-D__builtin_{name}={name}" for name in ("memcpy", "memmove", "memset"))
    if tc.compiler_id == "gcc" and int(tc.version.split(".")[0]) >= _FIRST_WITH_PATTERN:
        yield "-ftrivial-auto-var-init=pattern"
    if not unit.debug:
        yield from ("-O1", *(_INLINING if tc.compiler_id == "gcc" else ()))


def rename_checked(defined: Collection[str]) -> Iterator[str]:
    """Yield the options for objcopy that let an object call the functions with checks.

    Args:
        defined: The functions that the object defines itself, which are instrumented.
    """
    for name in _RENAMED:
        if name not in defined:
            yield f"--redefine-sym={name}=kbuild_cpu_checked_{name}"


def host_options(compiler_id: str) -> Iterator[str]:
    """Yield the options for host code that includes what compilers call; see ``host_checks.h``.

    Other sanitizers of the project do not work together with these calls. Findings name lines.
    """
    yield from ("-fno-sanitize=all", "-fsanitize=thread", *_COPIES, *_HOST_TEXTS)
    yield from (_LINES, "-g")
    if compiler_id.endswith("Clang"):
        yield from ("-mllvm", "-tsan-instrument-func-entry-exit=0")
        yield from ("-mllvm", "-tsan-distinguish-volatile=1")
        # clang ignores elements of a local array, although other code has the address of the array.
        yield from ("-mllvm", "-capture-tracking-max-uses-to-explore=0")
        # clang vectorizes first, and then ignores accesses of more than 16 bytes.
        yield from ("-fno-vectorize", "-fno-slp-vectorize")
    else:
        yield from ("--param=tsan-instrument-func-entry-exit=0", "-Wno-tsan")
        yield "--param=tsan-distinguish-volatile=1"
