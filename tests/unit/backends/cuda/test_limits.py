"""Compare the launch limits of devices with the toolkit's own headers and assembler."""

from __future__ import annotations

import pytest

from kbuild.backends.cuda.limits import LIMITS
from kbuild.errors import ConfigurationError
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


@pytest.mark.parametrize(
    ("arch", "threads", "registers"),
    [
        ("sm_90", 32, 255),
        ("sm_90", 256, 255),
        ("sm_90", 257, 168),
        ("sm_90", 512, 128),
        ("sm_90", 800, 72),
        ("sm_90", 1024, 64),
        ("sm_53", 1024, 32),
        ("compute_90", 512, 128),
        ("compute_60", 1024, 32),  # sm_62 can run it
        ("sm_130", 512, None),
    ],
)
def test_registers_for_a_block(arch: str, threads: int, registers: int | None) -> None:
    assert LIMITS.registers_of(arch, threads) == registers
    if registers is not None and arch.startswith("sm"):
        assert (LIMITS.most_threads_of(arch, Resources(registers=registers)) or 0) >= threads
        if registers < 255:
            more = LIMITS.most_threads_of(arch, Resources(registers=registers + 1))
            assert more is not None
            assert more < threads


def test_limits_are_options_of_the_compiler() -> None:
    assert LIMITS.limit_options("90-virtual", None, None) == ()
    assert LIMITS.limit_options("90-real", 512, None) == ("-maxrregcount=128",)
    assert LIMITS.limit_options("90-real", 512, 40) == ("-maxrregcount=40",)
    assert LIMITS.limit_options("90-real", 512, 200) == ("-maxrregcount=128",)
    with pytest.raises(ConfigurationError, match="need a real architecture, not '90-virtual'"):
        LIMITS.limit_options("90-virtual", 512, None)
    with pytest.raises(ConfigurationError, match="registers of sm_130 is unknown"):
        LIMITS.limit_options("130-real", 512, None)


def test_register_limits_are_read_from_options() -> None:
    assert LIMITS.limit_in(("-O2", "--maxrregcount", "40")) == 40
    assert LIMITS.limit_in(("-maxrregcount=40", "-Xptxas=-maxrregcount=50")) == 50
    assert LIMITS.limit_in(("-DX=-max",)) is None
