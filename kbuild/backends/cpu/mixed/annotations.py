"""Read the annotations of names in the device headers.

``kbuild_cpu/annotations.h`` defines them. They survive preprocessing, so that a text says which
words matter to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from kbuild.backends.cpu.cccl import NO_DEVICE_ALGORITHMS
from kbuild.cxx.lines import locate
from kbuild.errors import SourceError

INDEX: Final = "threadIdx"
_GAP: Final = r"(?:\s|#[^\n]*\n)+"  # preprocessors write line markers after macros
_NEED: Final = re.compile(
    rf"__kbuild_(?P<limit>call_|kernel_)?needs_(?P<need>thread|block)__{_GAP}"
    r"(?P<name>\w+)(?P<parameters>\s*\()?"
)
_NO_ALGORITHM: Final = re.compile(rf"__kbuild_no_algorithm__{_GAP}(\w+)")
_CALL: Final = r"(?=\s*(?:[(<]|::))"
# What else does not exist in host code. `tls_model` is an attribute of shared memory.
_ONLY_IN_KERNELS: Final = f"{INDEX}|blockIdx|blockDim|gridDim|tls_model"


@dataclass(frozen=True, slots=True)
class ThreadWords:
    """The names that need to know which thread runs, or that can stop it.

    Attributes:
        pattern: A regular expression for mentions of these names, and of the thread's index.
        functions: The functions among them whose every mention matches.
        device_functions: Those that matter only in device code.
        only_in_kernels: A regular expression for mentions of what does not exist in host code.
    """

    pattern: str
    functions: frozenset[str]
    device_functions: frozenset[str]
    only_in_kernels: str


def find_thread_words(text: str) -> ThreadWords:
    """Return the annotated names of preprocessed text."""
    found = tuple(_NEED.finditer(text))
    calls = {match["name"] for match in found if match["limit"] == "call_"}
    words = {match["name"] for match in found} - calls
    of_kernels = {match["name"] for match in found if match["need"] == "block"}
    return ThreadWords(
        pattern="|".join((INDEX, *_match_names(words), *_match_names(calls, _CALL))),
        functions=frozenset(words & {match["name"] for match in found if match["parameters"]}),
        device_functions=frozenset(m["name"] for m in found if m["limit"] == "kernel_"),
        only_in_kernels="|".join(
            (
                _ONLY_IN_KERNELS,
                *_match_names(words & of_kernels),
                *_match_names(calls & of_kernels, _CALL),
            )
        ),
    )


def _match_names(names: Iterable[str], after: str = "") -> Iterable[str]:
    """Yield regular expressions, which are faster for names that have the same start."""
    for start, group in groupby(sorted(names), key=lambda name: name[:2]):
        yield f"{start}(?:{'|'.join(name[2:] for name in group)}){after}"


def reject_device_algorithms(text: str) -> None:
    """Raise SourceError if preprocessed text calls an algorithm of CUB for devices."""
    names = "|".join(_NO_ALGORITHM.findall(text))
    found = re.search(rf"\b(?:{names})\s*::\s*\w+(?=\s*[(<])", text) if names else None
    if found:
        name = "".join(found[0].split())
        raise SourceError(
            f"{locate(text, found.start())}: the cpu backend does not support 'cub::{name}', "
            f"{NO_DEVICE_ALGORITHMS}"
        )
