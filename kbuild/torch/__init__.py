"""PyTorch extensions: a replacement for ``torch.utils.cpp_extension`` in an existing ``setup.py``.

Change one line of ``setup.py``::

    from kbuild.torch import BuildExtension, CUDAExtension

`BuildExtension` builds the extensions with kbuild. All other names are those of
``torch.utils.cpp_extension``.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers assume True; importing typing is slow
if TYPE_CHECKING:
    from typing import Any

    from kbuild.torch.command import BuildExtension as BuildExtension

__all__ = ["BuildExtension"]


def __getattr__(name: str) -> Any:
    from importlib import import_module  # noqa: PLC0415 - importing torch is slow

    if name == "BuildExtension":
        return import_module("kbuild.torch.command").BuildExtension
    # Tools that inspect modules look for such names.
    if name.startswith("__"):
        raise AttributeError(f"module 'kbuild.torch' has no attribute {name!r}")
    return getattr(import_module("torch.utils.cpp_extension"), name)
