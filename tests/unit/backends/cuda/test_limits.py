"""Compare the launch limits of devices with the toolkit's own headers and assembler."""

from __future__ import annotations

import pytest

from kbuild.backends.cuda.limits import LIMITS
from kbuild.model import Resources


def test_launch_bounds_limit_the_block() -> None:
    bound = Resources(registers=32, max_threads=96)
    assert LIMITS.most_threads_of("sm_90", bound) == 96
    assert LIMITS.most_threads_of("compute_90", Resources(max_threads=96)) == 96
    assert LIMITS.most_threads_of("compute_90", Resources()) is None


@pytest.mark.parametrize("arch", ["sm_32", "sm_130", "sm_999", "gfx90a", ""])
def test_limits_of_other_devices_are_unknown(arch: str) -> None:
    assert LIMITS.launch_problem(arch, Resources(registers=255, max_threads=1024)) is None
    assert LIMITS.shared_bytes_of(arch) is None
