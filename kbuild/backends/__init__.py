"""The backends, one module each, and the one table that names them."""

from __future__ import annotations

from typing import Final

from kbuild.backends import cpu, cuda, hip
from kbuild.backends.protocol import Backend
from kbuild.errors import ConfigurationError

BACKENDS: Final[dict[str, Backend]] = {backend.NAME: backend for backend in (cpu, cuda, hip)}

# What ``auto`` stands for: the first one whose compiler is there, so a device's before the
# embedded default, which needs nothing but a C++ compiler.
AUTOMATIC: Final = "auto"
BY_PREFERENCE: Final[tuple[Backend, ...]] = (cuda, hip, cpu)


def find_backend(name: str) -> Backend:
    """The backend called ``name``; ConfigurationError that lists the known ones."""
    if name not in BACKENDS:
        known = ", ".join((*BACKENDS, AUTOMATIC))
        raise ConfigurationError(f"unknown BACKEND {name!r}; this kbuild has {known}")
    return BACKENDS[name]
