"""Symbols of debug stubs, which follow clang's HIP ABI.

A prefix is added to the identifier of the kernel before mangling.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.demangle.names import demangle, split_function
from kbuild.errors import SourceError

PREFIX: Final = "__device_stub__"


def name_stub(kernel: str) -> str:
    """Return the symbol of a kernel's debug stub.

    ``_ZN2ns5scaleEPffi`` gives ``_ZN2ns20__device_stub__scaleEPffi``. This function does not
    parse mangled names. It tries each occurrence of the identifier, and takes the one for which
    the result demangles to the prefixed name.

    Raises:
        SourceError: No occurrence gives the prefixed name.
    """
    display = demangle(kernel)
    if display == kernel:
        return PREFIX + kernel
    qualified, _ = split_function(display)
    identifier = base_identifier(qualified)
    expected = _prefix_last(display, qualified, identifier)
    encoded = f"{len(identifier)}{identifier}"
    prefixed = f"{len(PREFIX + identifier)}{PREFIX}{identifier}"
    for match in re.finditer(re.escape(encoded), kernel):
        candidate = kernel[: match.start()] + prefixed + kernel[match.end() :]
        if demangle(candidate) == expected:
            return candidate
    raise SourceError(f"kernel '{display}': cannot derive the name of a debug stub from '{kernel}'")


def base_identifier(qualified: str) -> str:
    """Return the identifier of a qualified name: ``scale`` for ``ns::scale<float>``."""
    return without_template_arguments(qualified).rpartition("::")[2]


def without_template_arguments(name: str) -> str:
    """Remove template arguments: ``ns::scale<float>`` becomes ``ns::scale``."""
    depth = 0
    kept = []
    for character in name:
        if character == "<":
            depth += 1
        if depth == 0:
            kept.append(character)
        if character == ">":
            depth -= 1
    return "".join(kept)


def _prefix_last(display: str, qualified: str, identifier: str) -> str:
    """Add the prefix to the function's own identifier in ``display``."""
    start = display.index(qualified)
    # The identifier is at the end of the qualified name, or before its template arguments.
    head = qualified
    if qualified.endswith(">"):
        depth = 0
        for position in range(len(qualified) - 1, -1, -1):
            depth += {">": 1, "<": -1}.get(qualified[position], 0)
            if depth == 0:
                head = qualified[:position]
                break
    at = start + len(head) - len(identifier)
    return display[:at] + PREFIX + display[at:]
