from __future__ import annotations

import ctypes
from typing import Any

import pytest

from kbuild.backends.cpu.streams import open_functions
from kbuild.errors import ConfigurationError


def test_runtime_without_functions_for_streams_is_an_error() -> None:
    class StaticRuntime:
        resolve_address = ctypes.cast(ctypes.CDLL(None).malloc, ctypes.c_void_p).value

    device: Any = StaticRuntime()
    with pytest.raises(ConfigurationError, match=r"a copy of the runtime .* with RUNTIME shared"):
        open_functions(device)
