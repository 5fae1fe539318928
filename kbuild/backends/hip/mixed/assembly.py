"""Adapt the assembly that clang makes of a host text."""

from __future__ import annotations

import re
from typing import Final

from kbuild.errors import SourceError

# clang 18 and later define a variable with the ID of the source in every object. Without an ID, all
# objects have the same one.
_ID: Final = re.compile(r"^\t\.globl\t__hip_cuid_\w*[^\n]*\n", re.MULTILINE)
# A function, with the comments that clang writes around it.
_FUNCTION: Final = re.compile(
    r"^[^\n]*# -- Begin function [^\n]*\n.*?^[^\n]*# -- End function\n", re.MULTILINE | re.DOTALL
)
_SECTION: Final = re.compile(r"^\t(?:\.section\t([^,\n]+)|\.(?:text|data|bss)\b)", re.MULTILINE)
# The section of the kernels; see native/device/hip/mixed/host_text.h.
_UNUSED: Final = ".kbuild_unused"
_CODE: Final = "\t.text\n"
# What clang's own registration refers to; it exists only if there is something to register.
_FAT_BINARY: Final = re.compile(r"\b__hip_fatbin\b|\b__hip_gpubin_handle")
_REGISTRATIONS: Final = {
    "__hipRegisterTexture": "texture reference",
    "__hipRegisterSurface": "surface reference",
    "__hipRegisterManagedVar": "managed variable",
    "__hipRegisterVar": "device variable",
}


def adapt_assembly(assembly: str, source: str) -> str:
    """Return the assembly without the kernels that clang emitted, and without the source's ID.

    clang emits functions without linkage, such as instances for a lambda. Without the function, its
    address is an undefined symbol, which the handle defines.

    Args:
        assembly: The output of clang.
        source: The name of the source in messages.

    Raises:
        SourceError: clang registers something itself.
    """
    if _FAT_BINARY.search(assembly):
        kind = next((text for name, text in _REGISTRATIONS.items() if name in assembly), "variable")
        raise SourceError(
            f"{source}: kbuild cannot register a {kind} of the host code; use objects instead of "
            "texture and surface references, and device variables that are not members of classes "
            "or templates"
        )
    # What the C++ compiler writes behind it belongs to the code, and not to the last section.
    return _ID.sub("", _remove_kernels(assembly)) + _CODE


def _remove_kernels(assembly: str) -> str:
    parts: list[str] = []
    position = 0
    section = ""
    for function in _FUNCTION.finditer(assembly):
        for found in _SECTION.finditer(assembly, position, function.end()):
            section = found[1] or ""
        if section == _UNUSED:
            parts.append(assembly[position : function.start()])
            position = function.end()
    return "".join((*parts, assembly[position:]))
