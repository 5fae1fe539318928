"""NVIDIA's ``cuda-core`` and its bindings, with their errors as kbuild's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from kbuild.errors import ConfigurationError, LaunchError

try:
    import cuda.core as cuda
    from cuda.bindings import driver
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    raise ConfigurationError(
        f"running CUDA kernels from Python needs cuda-core ({error}); pip install 'kbuild[cuda]'"
    ) from error

__all__ = [
    "ARRAY_INTERFACE",
    "SUCCESS",
    "StridedMemoryView",
    "check",
    "cuda",
    "driver",
    "explain",
    "explained",
]

ARRAY_INTERFACE: Final = "__cuda_array_interface__"
SUCCESS: Final = driver.CUresult.CUDA_SUCCESS


def check(result: tuple[Any, ...], doing: str = "asking the driver") -> Any:
    """Return the values of a binding's call without its status; raise LaunchError if it failed."""
    status, *values = result
    if status != SUCCESS:
        raise LaunchError(f"{doing} failed: {explain(status)}")
    return values[0] if values else None


def explain(status: Any) -> str:
    """Describe a status in the driver's words."""
    _, name = driver.cuGetErrorName(status)
    _, text = driver.cuGetErrorString(status)
    words = [part.decode() for part in (name, text) if part]
    return f"{': '.join(words) or 'unknown'} (error {int(status)})"


@contextlib.contextmanager
def explained(doing: str) -> Iterator[None]:
    """Raise errors of cuda-core as LaunchError."""
    try:
        yield
    except LaunchError:
        raise
    except Exception as error:
        raise LaunchError(f"{doing} failed: {error}") from error
