"""kbuild: GPU kernel sources to artifacts that any host compiler can link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kbuild.runtime.module import load as load

__version__ = "0.1.0"

__all__ = ["__version__", "load"]


def __getattr__(name: str) -> Any:
    # Build edges import kbuild thousands of times and never load a kernel.
    if name == "load":
        from kbuild.runtime.module import load  # noqa: PLC0415

        return load
    raise AttributeError(f"module 'kbuild' has no attribute {name!r}")
