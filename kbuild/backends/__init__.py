"""The backends, one module each, and the one table that names them.

A module is imported where its backend is asked for: edges of a build have one each.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from kbuild.errors import ConfigurationError

if TYPE_CHECKING:
    from kbuild.backends.cpu import build as cpu
    from kbuild.backends.cuda import build as cuda
    from kbuild.backends.hip import build as hip
    from kbuild.backends.interface.build import Backend

    _CHECKED: Final[tuple[Backend, ...]] = (cpu, cuda, hip)

BACKEND_NAMES: Final = ("cpu", "cuda", "hip")

# What ``auto`` stands for: the first one whose compiler is there, so a device's before the
# embedded default, which needs nothing but a C++ compiler.
AUTOMATIC: Final = "auto"
_BY_PREFERENCE: Final = ("cuda", "hip", "cpu")


def find_backend(name: str) -> Backend:
    """The backend called ``name``; ConfigurationError that lists the known ones."""
    if name not in BACKEND_NAMES:
        known = ", ".join((*BACKEND_NAMES, AUTOMATIC))
        raise ConfigurationError(f"unknown BACKEND {name!r}; this kbuild has {known}")
    return cast("Backend", import_module(f"{__name__}.{name}.build"))


def list_backends() -> tuple[Backend, ...]:
    """All of them."""
    return tuple(map(find_backend, BACKEND_NAMES))


def list_by_preference() -> tuple[Backend, ...]:
    """All of them, in the order in which ``auto`` tries; the last one is always there."""
    return tuple(map(find_backend, _BY_PREFERENCE))
