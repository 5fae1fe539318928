from __future__ import annotations

import pytest

from kbuild.runtime.launch_records.replay import ReplayedBuffer


@pytest.mark.parametrize("size", [0, 1, 1 << 16, (1 << 16) + 1, 300_000])
def test_changed_bytes_are_counted(size: int) -> None:
    before = bytes(place * 7 % 251 for place in range(size))
    after = bytearray(before)
    places = {place for place in (0, size // 2, size - 1) if 0 <= place < size}
    for place in places:
        after[place] ^= 0x80
    buffer = ReplayedBuffer(size=size, before=memoryview(before), after=bytes(after))
    assert buffer.changed_bytes == len(places)
    assert ReplayedBuffer(size=size, before=before, after=before).changed_bytes == 0


def test_changed_bytes_are_none_if_a_content_is_unknown() -> None:
    assert ReplayedBuffer(size=1, before=None, after=b"1").changed_bytes is None
    assert ReplayedBuffer(size=1, before=b"1", after=None).changed_bytes is None
