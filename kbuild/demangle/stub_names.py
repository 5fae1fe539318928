"""Names of debug stubs: clang's HIP ABI, the prefix on the identifier, before mangling."""

from __future__ import annotations

import re
from typing import Final

from kbuild.demangle.names import demangle, split_function
from kbuild.errors import SourceError

PREFIX: Final = "__device_stub__"


def name_stub(kernel: str) -> str:
    """The symbol of the debug stub of the kernel with this symbol.

    ``_ZN2ns5scaleEPffi`` gives ``_ZN2ns20__device_stub__scaleEPffi``.  Mangled names are
    not taken apart here: of the places where the identifier stands in one, the right one
    is the one that the demangler then reads as the prefixed name.
    """
    display = demangle(kernel)
    if display == kernel:
        return PREFIX + kernel
    qualified, _ = split_function(display)
    identifier = base_identifier(qualified)
    wanted = _prefix_last(display, qualified, identifier)
    encoded = f"{len(identifier)}{identifier}"
    prefixed = f"{len(PREFIX + identifier)}{PREFIX}{identifier}"
    for match in re.finditer(re.escape(encoded), kernel):
        candidate = kernel[: match.start()] + prefixed + kernel[match.end() :]
        if demangle(candidate) == wanted:
            return candidate
    raise SourceError(f"kernel '{display}': no debug stub can be named for {kernel}")


def base_identifier(qualified: str) -> str:
    """The identifier of a qualified name: ``scale`` of ``ns::scale<float>``."""
    return without_template_arguments(qualified).rpartition("::")[2]


def without_template_arguments(name: str) -> str:
    """``ns::scale`` of ``ns::scale<float>``."""
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
    """``display`` with the prefix on the function's own identifier."""
    start = display.index(qualified)
    # The identifier is what ends the qualified name, or stands before its last <...>.
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
