"""Tests for what annotations of the device headers say about names."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.annotations import reject_device_algorithms
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

HEADER = '# 1 "/x/d.h" 3\nstruct __kbuild_no_algorithm__\n# 3 "/x/d.h" 3\nDeviceScan;\n'


def test_algorithms_for_devices_are_errors() -> None:
    text = f'{HEADER}# 1 "a.cu" 2\n\nauto e = cub :: DeviceScan::ExclusiveSum<int>(p);\n'

    with pytest.raises(SourceError, match=r"a\.cu:2: .*'cub::DeviceScan::ExclusiveSum', because"):
        reject_device_algorithms(Unit(text))


@pytest.mark.parametrize(
    "text",
    [
        "DeviceScan::ExclusiveSum(p);",
        f"{HEADER}struct DeviceScan; Device::Scan(p); a = DeviceScan::b;",
    ],
)
def test_other_classes_can_have_such_names(text: str) -> None:
    reject_device_algorithms(Unit(text))
