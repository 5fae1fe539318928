"""Rewrite a host text: launches become calls, and every kernel gets a function that launches it."""

from __future__ import annotations

from kbuild.cxx.model import HostText


def rewrite(text: str, found: HostText, module: str, *, is_device: bool = False) -> str:
    """Return ``text`` with its launches as ordinary calls.

    Args:
        text: The preprocessed text. It includes ``kbuild/chevron.hpp``.
        found: What is in it.
        module: The part of generated names that is unique to the source.
        is_device: Whether the text is for the device pass, in which launches only need to
            instantiate the kernels.

    Raises:
        SourceError: A launch cannot be rewritten.
    """
    raise NotImplementedError
