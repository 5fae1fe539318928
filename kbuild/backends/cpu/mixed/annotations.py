"""Read the annotations of names in the device headers.

``kbuild_cpu/annotations.h`` defines them. They survive preprocessing, so that a text says which
words matter to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

INDEX: Final = "threadIdx"
CONSTANTS: Final = ("blockIdx", "blockDim", "gridDim")  # of a launch
INDICES: Final = (INDEX, *CONSTANTS)
_NEED: Final = re.compile(
    r"__kbuild_(?:(?P<limit>call_|kernel_)?needs_(?P<need>thread|block)"
    r"|(?P<yields>yields)|(?P<scope>block|warp)_(?P<form>barrier|operation|function|primitive))__"
)
_CALL: Final = r"(?=\s*(?:[(<]|::))"
# What else does not exist in host code, such as shared memory.
_ONLY_IN_KERNELS: Final = "|".join((*INDICES, "__kbuild_shared__"))


@dataclass(frozen=True, slots=True)
class ThreadWords:
    """The names that need to know which thread runs, or that can stop it.

    Attributes:
        pattern: A regular expression for mentions of these names, and of the thread's index.
        functions: The functions among them whose every mention matches.
        device_functions: Those that matter only in device code.
        only_in_kernels: A regular expression for mentions of what does not exist in host code.
        yielding: The functions that stop a thread only if it calls them again and again.
        operations: The functions in which threads wait for those of their block or warp. The values
            say whether it is their warp, and whether each thread brings a value.
        divided: The same for functions that the device headers also declare as divided ones. The
            values say whether it is their warp.
        primitives: The same for classes of objects with such functions.
    """

    pattern: str
    functions: frozenset[str]
    device_functions: frozenset[str]
    only_in_kernels: str
    yielding: frozenset[str]
    operations: Mapping[str, tuple[bool, bool]]
    divided: Mapping[str, bool]
    primitives: Mapping[str, bool]


def find_thread_words(code: Unit) -> ThreadWords:
    """Return the annotated names of preprocessed text."""
    annotations = {word: found for word in code.vocabulary if (found := _NEED.fullmatch(word))}
    named: dict[str, set[str]] = {"call_": set(), "kernel_": set(), "block": set(), "(": set()}
    words: set[str] = set()
    yielding: set[str] = set()
    operations: dict[str, tuple[bool, bool]] = {}
    divided: dict[str, bool] = {}
    primitives: dict[str, bool] = {}
    for index in code.find(annotations.keys()):
        found = annotations[code.words[index]]
        name = code.get(index + 1)
        if found["form"] == "primitive":
            primitives[name] = found["scope"] == "warp"
            continue
        words.add(name)
        if found["yields"]:
            yielding.add(name)
        if found["scope"]:
            named["block"].add(name)
            is_warp_wide = found["scope"] == "warp"
            if found["form"] == "function":
                divided[name] = is_warp_wide
            else:
                operations[name] = (is_warp_wide, found["form"] == "operation")
        for kind in (found["limit"], found["need"], code.get(index + 2)):
            if kind in named:
                named[kind].add(name)
    calls = named["call_"]
    words -= calls
    return ThreadWords(
        pattern="|".join((INDEX, *_match_names(words), *_match_names(calls, _CALL))),
        functions=frozenset(words & named["("]),
        device_functions=frozenset(named["kernel_"]),
        only_in_kernels="|".join(
            (
                _ONLY_IN_KERNELS,
                *_match_names(words & named["block"]),
                *_match_names(calls & named["block"], _CALL),
            )
        ),
        yielding=frozenset(yielding),
        operations=operations,
        divided=divided,
        primitives=primitives,
    )


def _match_names(names: Iterable[str], after: str = "") -> Iterable[str]:
    """Yield regular expressions, which are faster for names that have the same start."""
    for start, group in groupby(sorted(names), key=lambda name: name[:2]):
        yield f"{start}(?:{'|'.join(name[2:] for name in group)}){after}"
