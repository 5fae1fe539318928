"""Read the annotations of names in the device headers.

``kbuild_cpu/annotations.h`` defines them. They survive preprocessing, so that a text says which
words matter to it.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.cpu.cccl import NO_DEVICE_ALGORITHMS
from kbuild.cxx.lines import locate
from kbuild.errors import SourceError

_GAP: Final = r"(?:\s|#[^\n]*\n)+"  # preprocessors write line markers after macros
_NO_ALGORITHM: Final = re.compile(rf"\b__kbuild_no_algorithm__{_GAP}(\w+)")


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
