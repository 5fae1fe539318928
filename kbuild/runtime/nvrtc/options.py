"""The options of NVRTC, and what a `KernelCompiler` makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kbuild.errors import ConfigurationError

_OLDEST_STANDARD: Final = 17
_TRUE: Final = ("true", "1", "yes", "on")
# The options that add a word to those of the compiler, which takes the value as it is.
_WORDS: Final = {
    "--define-macro": "-D",
    "-D": "-D",
    "--undefine-macro": "-U",
    "-U": "-U",
    "--include-path": "-I",
    "-I": "-I",
    "--pre-include": "-include",
    "-include": "-include",
}
_STANDARD: Final = ("--std", "-std")
_DEBUG: Final = ("--device-debug", "-G")
_SINGLE: Final = {
    "--generate-line-info": "-g",
    "-lineinfo": "-g",
    "--disable-warnings": "-w",
    "-w": "-w",
}
_NO_SOURCE: Final = ("--no-source-include", "-no-source-include")
_FMA: Final = ("--fmad", "-fmad")
# The options for a later link. The first ones have a value.
_RELOCATABLE: Final = ("--relocatable-device-code", "-rdc")
_COMPILE_ONLY: Final = ("--device-c", "-dc", "--dlink-time-opt", "-dlto")
_OPTIMIZED_LINK: Final = _COMPILE_ONLY[2:]
_WHOLE: Final = ("--device-w", "-dw")
_UNSUPPORTED: Final = ("--optix-ir", "-optix-ir")
# Options without an effect: they are for code of GPUs, or say what is so anyway.
_IGNORED_VALUES: Final = (
    *("--gpu-architecture", "-arch", "--maxrregcount", "-maxrregcount", "--ftz", "-ftz"),
    *("--prec-sqrt", "-prec-sqrt", "--prec-div", "-prec-div", "--dopt", "-dopt"),
    *("--ptxas-options", "-Xptxas", "--diag-error", "-diag-error", "--diag-suppress"),
    *("-diag-suppress", "--diag-warn", "-diag-warn", "--modify-stack-limit"),
    *("-modify-stack-limit", "--builtin-move-forward", "-builtin-move-forward"),
    *("--builtin-initializer-list", "-builtin-initializer-list", "--split-compile"),
    *("-split-compile", "--jump-table-density", "-jtd", "--brief-diagnostics", "-brief-diag"),
    *("--minimal", "-minimal", "--device-stack-protector", "-device-stack-protector"),
)
_IGNORED: Final = (
    *("--device-as-default-execution-space", "-default-device", "--use_fast_math"),
    *("-use_fast_math", "--extra-device-vectorization", "-extra-device-vectorization"),
    *("--restrict", "-restrict", "--extensible-whole-program", "-ewp", "--device-int128"),
    *("-device-int128", "--display-error-number", "-err-no", "--no-display-error-number"),
    *("-no-err-no", "--no-cache", "-no-cache", "--pch", "-pch", "--version-ident", "--std-lib"),
)
_KNOWN: Final = frozenset(
    (
        *(*_WORDS, *_SINGLE, *_STANDARD, *_DEBUG, *_NO_SOURCE, *_FMA, *_RELOCATABLE),
        *(*_COMPILE_ONLY, *_WHOLE, *_IGNORED, *_IGNORED_VALUES),
    )
)
_JOINED: Final = re.compile(r"(-[DUI])(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class RtcOptions:
    """The arguments of a `KernelCompiler`.

    Attributes:
        words: The options for the compiler.
        standard: The C++ standard.
        debug: Whether to compile without optimization and with debug information.
        fma: Whether a multiplication and an addition can be one operation.
        includes_source: Whether the text finds headers in the directory of its name.
        relocatable: Whether the image is for a later link.
        is_linkable: Whether the program asks for LTO IR, too.
    """

    words: tuple[str, ...] = ()
    standard: str = str(_OLDEST_STANDARD)
    debug: bool = False
    fma: bool = True
    includes_source: bool = True
    relocatable: bool = False
    is_linkable: bool = False


def read_options(options: Sequence[str]) -> RtcOptions:
    """Read the options of a program, with their values in the same word or the next one.

    Raises:
        ConfigurationError: NVRTC would reject an option, or kbuild does not support it.
    """
    given = tuple(_divide(options))
    for name, _ in given:
        _check(name)
    last = dict(given)
    fma = next((last[name] for name in _FMA if name in last), _TRUE[0])
    return RtcOptions(
        words=tuple(word for name, value in given for word in _translate(name, value)),
        standard=str(
            max(
                (_read_standard(last[name]) for name in _STANDARD if name in last),
                default=_OLDEST_STANDARD,
            )
        ),
        debug=any(name in last for name in _DEBUG),
        fma=fma in _TRUE,
        includes_source=not any(name in last for name in _NO_SOURCE),
        relocatable=any(
            name in _COMPILE_ONLY or (name in _RELOCATABLE and value in _TRUE)
            for name, value in last.items()
        ),
        is_linkable=any(name in last for name in _OPTIMIZED_LINK),
    )


def _check(name: str) -> None:
    if name in _UNSUPPORTED:
        raise ConfigurationError(
            f"nvrtc option '{name}' makes code for OptiX, which kbuild does not have; compile "
            "without it"
        )
    if name not in _KNOWN:
        raise ConfigurationError(f"unrecognized nvrtc option '{name}'")


def _translate(name: str, value: str) -> tuple[str, ...]:
    """Return the options of the compiler for an option."""
    if name in _WORDS:
        return (f"{_WORDS[name]}{value}",)
    return (_SINGLE[name],) if name in _SINGLE else ()


def _divide(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each option and its value."""
    takes_value = (*_WORDS, *_STANDARD, *_FMA, *_RELOCATABLE, *_IGNORED_VALUES)
    pending = iter(options)
    for option in pending:
        name, has_value, value = option.strip().partition("=")
        joined = _JOINED.fullmatch(option.strip())
        if joined:
            yield joined[1], joined[2].strip()
        elif has_value:
            yield name, value
        elif name in takes_value:
            following = next(pending, None)
            if following is None:
                raise ConfigurationError(f"nvrtc option '{name}' needs a value")
            yield name, following
        elif name:
            yield name, ""


def _read_standard(value: str) -> int:
    found = re.fullmatch(r"(?:c|gnu)\+\+(\d+)", value)
    if found is None:
        raise ConfigurationError(f"unknown standard '{value}' of nvrtc option '-std'")
    number = int(found[1])
    return _OLDEST_STANDARD if number in (3, 11, 14) else number
