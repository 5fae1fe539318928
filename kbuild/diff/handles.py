"""Compare the visibility of the host symbols of kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.diff.model import HandleChange
from kbuild.diff.pairing import Artifact
from kbuild.facts import Symbol

_EXPORTED: Final = "exported"


def compare_handles(file: str, old: Artifact, new: Artifact) -> Iterator[HandleChange]:
    """Compare the visibility of the host symbols of kernels that both sides have."""
    left, right = _list_handles(old), _list_handles(new)
    common = {k.name for image in new.facts.images for k in image.kernels} | set(right)
    for kernel, before in left.items():
        after = right.get(kernel)
        if before == after or kernel not in common:
            continue
        # A stripped file has no local symbols, so a missing one says nothing.
        if before != _EXPORTED and None in (before, after):
            continue
        yield HandleChange(
            file=file,
            kernel=kernel,
            display=demangle(kernel),
            old=before,
            new=after,
            is_break=before == _EXPORTED,
        )


def _list_handles(artifact: Artifact) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    facts = artifact.facts
    symbols = [(handle.kernel, handle.symbol) for handle in facts.handles]
    symbols += [(kernel.kernel, kernel.symbol) for kernel in facts.host_kernels]
    for kernel, symbol in symbols:
        if found.get(kernel) != _EXPORTED:
            found[kernel] = _describe_symbol(symbol)
    return found


def _describe_symbol(symbol: Symbol | None) -> str | None:
    if symbol is None:
        return None
    if symbol.binding == "local":
        return "local"
    return _EXPORTED if symbol.visibility in ("default", "protected") else symbol.visibility
