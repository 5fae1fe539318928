"""kbuild: GPU kernel sources to artifacts that any host compiler can link."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kbuild.runtime.launch_config import LaunchConfig as LaunchConfig
    from kbuild.runtime.module import load as load

__version__ = "0.1.0"

__all__ = ["LaunchConfig", "__version__", "load"]

# Build edges import kbuild thousands of times and never run a kernel.
_LAZY: Final = {
    "LaunchConfig": "kbuild.runtime.launch_config",
    "load": "kbuild.runtime.module",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'kbuild' has no attribute {name!r}")
