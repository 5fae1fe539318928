"""Tests for running CUDA kernels that do not need a device; tests/gpu has the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kbuild.errors import ConfigurationError, LaunchError

pytest.importorskip("cuda.core", reason="no cuda-core here")

from kbuild.backends.cuda.execution import offers, read_dtype, read_stream
from kbuild.backends.cuda.queue import CudaQueue, require_resident
from kbuild.backends.interface.launch_config import LaunchConfig


class Stream:
    """A stream of another library."""

    def __init__(self, *words: Any) -> None:
        self._words = words

    def __cuda_stream__(self) -> tuple[Any, ...]:
        return self._words


class OldStream:
    """A stream of an older version of PyTorch."""

    cuda_stream = 96


@pytest.mark.parametrize(
    ("stream", "address"),
    [
        (64, 64),
        (np.uint64(64), 64),
        (Stream(0, 80), 80),
        (OldStream(), 96),
        # The address of the default stream is null, for example in PyTorch. DLPack uses 1.
        (0, 1),
        (Stream(0, 0), 1),
        (2, 2),
    ],
)
def test_streams_are_read(stream: Any, address: int) -> None:
    assert read_stream(stream) == address


@pytest.mark.parametrize("stream", ["7", 1.5, -1, 2**64, Stream(0), Stream(0, "7"), object()])
def test_objects_that_are_not_streams_are_rejected(stream: Any) -> None:
    with pytest.raises(ConfigurationError, match="invalid stream"):
        read_stream(stream)


def test_types_that_numpy_does_not_support_are_unknown() -> None:
    class View:
        @property
        def dtype(self) -> Any:
            raise NotImplementedError("bfloat16")  # like cuda-core without ml_dtypes

    assert read_dtype(View()) is None
    assert read_dtype(np.zeros(1, np.float16)) == np.float16


def test_attribute_that_raises_exists() -> None:
    class Tensor:
        @property
        def interface(self) -> Any:
            raise RuntimeError("it requires grad")

    assert offers(Tensor(), "interface")
    assert not offers(Tensor(), "another")


class Device:
    """Where a queue stands; no call reaches it."""

    current = None

    def enter(self) -> None: ...

    def make_current(self) -> None: ...


class NullStream:
    handle = 1


def test_too_much_shared_memory_is_rejected() -> None:
    queue = CudaQueue(Device(), NullStream())
    function: Any = None
    for size in (2**31, 2**64 - 1):
        with pytest.raises(LaunchError, match=f"shared_bytes is {size}"):
            queue.bind(function, LaunchConfig(grid=1, block=1, shared_bytes=size))


def test_cooperative_launches_that_are_too_large_state_the_limit() -> None:
    require_resident(LaunchConfig(grid=(33, 8), block=256), 2, 132)
    with pytest.raises(
        LaunchError,
        match=r"265 blocks of 256 threads, but the device runs at most 264 .*2 on each of 132",
    ):
        require_resident(LaunchConfig(grid=265, block=256), 2, 132)
