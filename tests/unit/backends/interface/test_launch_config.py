from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kbuild.backends.interface.launch_config import LaunchConfig, read_brackets
from kbuild.backends.module.launch import encode_config
from kbuild.errors import ConfigurationError


@pytest.mark.parametrize(
    ("extent", "expected"),
    [(5, (5, 1, 1)), ((2, 3), (2, 3, 1)), ([2, 3, 4], (2, 3, 4)), (np.int64(7), (7, 1, 1))],
)
def test_missing_dimensions_are_one(
    extent: int | Sequence[int], expected: tuple[int, int, int]
) -> None:
    config = LaunchConfig(grid=extent, block=1, shared_bytes=48)
    assert config.grid == expected
    assert config == LaunchConfig(grid=expected, block=(1, 1, 1), shared_bytes=48)
    encoded = encode_config(config)
    assert (encoded.grid.x, encoded.grid.y, encoded.grid.z) == expected
    assert encoded.shared_bytes == 48
    assert (encoded.block.x, encoded.cluster.x, encoded.cooperative) == (1, 0, 0)


@pytest.mark.parametrize("extent", [0, -1, 2**32, (), (1, 1, 1, 1), (1, 0), 1.5, "ab", b"ab", None])
def test_invalid_extents_are_rejected(extent: int) -> None:
    with pytest.raises(ConfigurationError, match="block"):
        LaunchConfig(grid=1, block=extent)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shared_bytes": -1}, "shared_bytes is -1"),
        ({"max_registers": 0}, "max_registers is 0"),
        ({"cluster": (1, 0)}, "cluster is 0"),
        ({"priority": 1.5}, "priority is 1.5"),
        ({"cooperative": "no"}, "cooperative is 'no'"),
    ],
)
def test_invalid_settings_are_rejected(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        LaunchConfig(grid=1, block=1, **wrong)


def test_launch_attributes_are_encoded() -> None:
    config = LaunchConfig(grid=8, block=(32, 4), cluster=2, cooperative=True, priority=-3)
    encoded = encode_config(config)
    assert (encoded.cluster.x, encoded.cluster.y, encoded.cluster.z) == (2, 1, 1)
    assert (encoded.cooperative, encoded.priority) == (1, -3)
    assert config.threads == 128


def test_invalid_launch_in_brackets_shows_the_valid_ones() -> None:
    for launch in (4, (4,), (1, 1, 0, None, 1)):
        with pytest.raises(ConfigurationError, match=r"expected kernel\[grid, block\]\(\.\.\.\)"):
            read_brackets(launch, "k(int)")
    with pytest.raises(ConfigurationError, match="block is 'x'; expected an integer"):
        read_brackets((1, ["x"]), "k(int)")


def test_launch_in_brackets_is_a_configuration() -> None:
    config = read_brackets(((2, 3), 64, 16, 5), "k(int)")
    assert (config.grid, config.block) == ((2, 3, 1), (64, 1, 1))
    assert (config.shared_bytes, config.stream) == (16, 5)
