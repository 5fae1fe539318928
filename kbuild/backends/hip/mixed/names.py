"""The symbols of device variables' shadows in the assembly of a host text."""

from __future__ import annotations

_ANONYMOUS = "(anonymous namespace)"


def name_label(namespaces: tuple[str, ...], name: str) -> str:
    """Return the symbol of a shadow to which the host text gives another symbol.

    Args:
        namespaces: The namespaces around the variable; unnamed ones are empty.
        name: The name of the variable.
    """
    path = (part for part in (*namespaces, name) if part and part != _ANONYMOUS)
    return f"kbuild_variable.{'.'.join(path)}"
