"""Tests for reading AMD devices from the files of the driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.hip.devices import query_driver
from kbuild.backends.interface.devices import Device


def write_node(directory: Path, number: int, version: int, name: str = "") -> None:
    node = directory / str(number)
    node.mkdir()
    (node / "properties").write_text(f"cpu_cores_count 0\ngfx_target_version {version}\n\n")
    (node / "name").write_text(f"{name}\n")


@pytest.mark.parametrize(
    ("version", "architecture"),
    [(90010, "gfx90a"), (90402, "gfx942"), (100300, "gfx1030"), (110501, "gfx1151")],
)
def test_architecture_is_read_from_the_version(
    tmp_path: Path, version: int, architecture: str
) -> None:
    write_node(tmp_path, 0, version, "aldebaran")
    assert query_driver(tmp_path).devices == (Device(name="aldebaran", architecture=architecture),)


def test_processors_are_skipped_and_devices_are_in_order(tmp_path: Path) -> None:
    write_node(tmp_path, 0, 0)
    write_node(tmp_path, 10, 100300, "second")
    write_node(tmp_path, 2, 90010, "first")
    assert [device.name for device in query_driver(tmp_path).devices] == ["first", "second"]


def test_machine_without_the_driver_has_no_devices(tmp_path: Path) -> None:
    assert query_driver(tmp_path / "absent").devices == ()
