"""Read the annotations of names in the device headers.

``kbuild_cpu/annotations.h`` defines them. They survive preprocessing, so that a text says which
words matter to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kbuild.backends.qualifiers import SHARED
from kbuild.cxx.model import Span
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

INDEX: Final = "threadIdx"
CONSTANTS: Final = ("blockIdx", "blockDim", "gridDim")  # of a launch
INDICES: Final = (INDEX, *CONSTANTS)
_ANNOTATION: Final = re.compile(
    r"__kbuild_(?:(?P<limit>call_)?needs_block"
    r"|(?P<yields>yields)|(?P<scope>block|warp)_(?P<form>barrier|operation|function|primitive))__"
)
_BEHIND_CALLED: Final = frozenset(("(", "<", "::"))


@dataclass(frozen=True, slots=True)
class ThreadWords:
    """The names that need to know which thread runs, or that can stop it.

    Attributes:
        only_in_kernels: What does not exist in host code, such as shared memory.
        called_in_kernels: The same for names that programs use for other things, too. Only calls,
            template arguments, and qualified names count.
        yielding: The functions that stop a thread only if it calls them again and again.
        operations: The functions in which threads wait for those of their block or warp. The values
            say whether it is their warp, and whether each thread brings a value.
        divided: The same for functions that the device headers also declare as divided ones. The
            values say whether it is their warp.
        primitives: The same for classes of objects with such functions.
    """

    only_in_kernels: frozenset[str]
    called_in_kernels: frozenset[str]
    yielding: frozenset[str]
    operations: Mapping[str, tuple[bool, bool]]
    divided: Mapping[str, bool]
    primitives: Mapping[str, bool]

    def are_in(self, code: Unit, body: Span) -> bool:
        """Return whether the body of a function mentions what only kernels have."""
        return any(
            code.words[index] in self.only_in_kernels
            or (
                code.words[index] in self.called_in_kernels
                and code.get(index + 1) in _BEHIND_CALLED
            )
            for index in range(*map(code.find_index, body))
        )


def find_thread_words(code: Unit) -> ThreadWords:
    """Return the annotated names of preprocessed text."""
    annotations = {w: found for w in code.vocabulary if (found := _ANNOTATION.fullmatch(w))}
    only: set[str] = {*INDICES, SHARED}
    called: set[str] = set()
    yielding: set[str] = set()
    operations: dict[str, tuple[bool, bool]] = {}
    divided: dict[str, bool] = {}
    primitives: dict[str, bool] = {}
    for index in code.find(annotations.keys()):
        found = annotations[code.words[index]]
        name = code.get(index + 1)
        is_warp_wide = found["scope"] == "warp"
        if found["form"] == "primitive":
            primitives[name] = is_warp_wide
        elif found["yields"]:
            yielding.add(name)
        else:
            (called if found["limit"] else only).add(name)
            if found["form"] == "function":
                divided[name] = is_warp_wide
            elif found["form"]:
                operations[name] = (is_warp_wide, found["form"] == "operation")
    return ThreadWords(
        only_in_kernels=frozenset(only - called),
        called_in_kernels=frozenset(called),
        yielding=frozenset(yielding),
        operations=operations,
        divided=divided,
        primitives=primitives,
    )
