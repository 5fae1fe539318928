from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kbuild.errors import ConfigurationError
from kbuild.runtime.launch import make_config


@pytest.mark.parametrize(
    ("extent", "expected"),
    [(5, (5, 1, 1)), ((2, 3), (2, 3, 1)), ([2, 3, 4], (2, 3, 4)), (np.int64(7), (7, 1, 1))],
)
def test_extents_are_filled_up_with_ones(
    extent: int | Sequence[int], expected: tuple[int, int, int]
) -> None:
    config = make_config(grid=extent, block=1, shared_bytes=48)
    assert (config.grid.x, config.grid.y, config.grid.z) == expected
    assert config.shared_bytes == 48
    assert (config.block.x, config.cluster.x, config.cooperative) == (1, 0, 0)


@pytest.mark.parametrize("extent", [0, -1, 2**32, (), (1, 1, 1, 1), (1, 0), 1.5, "ab", None])
def test_impossible_extents_are_refused(extent: int) -> None:
    with pytest.raises(ConfigurationError, match="block"):
        make_config(grid=1, block=extent, shared_bytes=0)


def test_negative_shared_memory_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="shared_bytes is -1"):
        make_config(grid=1, block=1, shared_bytes=-1)
