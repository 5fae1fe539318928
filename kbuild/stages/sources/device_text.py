"""Select the part of a mixed source that device code depends on."""

from __future__ import annotations

from collections.abc import Iterable


def select_device_text(source: bytes, headers: Iterable[bytes]) -> bytes:  # noqa: ARG001 - see the branch that fills it
    """Return the text of ``source`` that can influence its device code."""
    return source
