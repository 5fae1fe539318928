"""Find the functions of the device language that host code cannot call with nvcc."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends.cpu.mixed.diagnosis.functions import Function, find_functions
from kbuild.cxx.lines import locate
from kbuild.cxx.unit import Unit
from kbuild.values import replace

# How their names start.
_NAME: Final = re.compile(r"atomic[A-Z]|__[a-z]")
# The headers of the device language whose functions have no host code with nvcc.
_HEADER: Final = re.compile(
    r".*/kbuild_cpu/(?:atomics|warp|bits|integers|cache_hints"
    r"|atomics/builtins|math/(?:fast|rounding|conversions|simd))\.h"
)


def list_device_names(code: Unit) -> Iterator[str]:
    """Yield the words of a text that can be names of such functions."""
    return (word for word in code.vocabulary if _NAME.match(word))


def find_device_library(code: Unit, names: Iterable[str]) -> Iterator[Function]:
    """Yield the functions of the device language with some names."""
    for function in find_functions(code, names):
        place = locate(code.text, function.start)
        if place.is_system and _HEADER.fullmatch(place.file) and not any(function.owner):
            yield replace(function, space="device")
