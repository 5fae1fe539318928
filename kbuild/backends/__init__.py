"""The backends, one module each, and the one table that names them."""

from __future__ import annotations

from typing import Final

from kbuild.backends import cpu, cuda
from kbuild.backends.protocol import Backend
from kbuild.errors import ConfigurationError

BACKENDS: Final[dict[str, Backend]] = {cpu.NAME: cpu, cuda.NAME: cuda}

# The embedded default: it needs nothing but a C++ compiler.
_AUTOMATIC: Final = cpu.NAME


def find_backend(name: str) -> Backend:
    """The backend called ``name``; ``auto`` is the best one whose toolchain is there.

    Raises ConfigurationError that lists the known ones.
    """
    if name == "auto":
        name = _AUTOMATIC
    if name not in BACKENDS:
        known = ", ".join((*BACKENDS, "auto"))
        raise ConfigurationError(f"unknown BACKEND {name!r}; this kbuild has {known}")
    return BACKENDS[name]
