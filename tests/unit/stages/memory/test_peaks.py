"""What a compile took is expected of the next one."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from kbuild import process
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ConfigurationError
from kbuild.model import Command
from kbuild.stages.memory import peaks
from kbuild.stages.memory.limit import read_memory_limit
from kbuild.values import replace

TOOLCHAIN: Final = Toolchain(
    backend="cuda", compiler=Path("nvcc"), compiler_id="nvcc", version="13"
)
SOURCE: Final = Path("a.cu")
MIB: Final = 1 << 20
UNKNOWN: Final = 4096 * MIB


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def allocate(mebibytes: int) -> None:
    code = f"b'x' * ({mebibytes} << 20)"
    process.run_checked(Command(argv=(sys.executable, "-S", "-c", code)))


def test_an_unknown_source_is_expected_to_be_large() -> None:
    assert peaks.expect_peak(SOURCE, "90", TOOLCHAIN, UNKNOWN) == UNKNOWN


# In a process of its own: the test's own process has had other children, which can be larger.
MEASURE: Final = """\
import sys
from pathlib import Path
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import Command
from kbuild.process import run_checked
from kbuild.stages.memory.peaks import reserve_memory
tc = Toolchain(backend="cuda", compiler=Path("nvcc"), compiler_id="nvcc", version="13")
with reserve_memory(Path("a.cu"), "90", tc, 4 << 30) as note:
    run_checked(Command(argv=(sys.executable, "-S", "-c", f"b'x' * ({sys.argv[1]} << 20)")))
print(note, end="")
"""


def test_the_peak_of_a_source_and_architecture_is_remembered() -> None:
    for mebibytes in (300, 500):
        argv = (sys.executable, "-c", MEASURE, str(mebibytes))
        assert subprocess.run(argv, check=True, capture_output=True, text=True).stdout == ""
        found = peaks.find_peak(SOURCE.absolute(), "90", TOOLCHAIN)
        assert found is not None
        assert mebibytes * MIB <= found < (mebibytes + 100) * MIB
    assert 500 * MIB < peaks.expect_peak(SOURCE, "90", TOOLCHAIN, UNKNOWN) < 700 * MIB
    for source, part, toolchain in (
        (Path("b.cu"), "90", TOOLCHAIN),
        (SOURCE, "80", TOOLCHAIN),
        (SOURCE, "90", replace(TOOLCHAIN, version="12")),
    ):
        assert peaks.find_peak(source, part, toolchain) is None


def test_a_compile_that_is_not_measured_is_not_remembered() -> None:
    with peaks.reserve_memory(SOURCE, "90", TOOLCHAIN, UNKNOWN, is_measured=False):
        allocate(10)
    assert peaks.find_peak(SOURCE, "90", TOOLCHAIN) is None


def test_a_compile_that_fails_is_not_remembered() -> None:
    with (
        pytest.raises(RuntimeError),
        peaks.reserve_memory(SOURCE, "90", TOOLCHAIN, UNKNOWN),
    ):
        raise RuntimeError
    assert peaks.find_peak(SOURCE, "90", TOOLCHAIN) is None


WAIT: Final = """\
from pathlib import Path
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.stages.memory.peaks import reserve_memory
tc = Toolchain(backend="cuda", compiler=Path("nvcc"), compiler_id="nvcc", version="13")
print(flush=True)
with reserve_memory(Path("b.cu"), "90", tc, 4 << 30) as note:
    print(note, end="")
"""


def test_the_first_compile_that_waits_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(peaks.LIMIT, str(6 << 30))
    argv = (sys.executable, "-c", WAIT)
    with peaks.reserve_memory(SOURCE, "90", TOOLCHAIN, UNKNOWN) as note:
        waiting = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert waiting.stdout is not None
        waiting.stdout.readline()
        time.sleep(0.5)  # it waits meanwhile
    said, _ = waiting.communicate(timeout=60)

    assert note == ""
    assert said == (
        "kbuild: note: compiles wait for memory: b.cu can take 4.0 GiB, and all that run at once "
        "6.0 GiB (KBUILD_COMPILE_MEMORY changes the limit)\n"
    )


def test_limit_is_the_share_of_the_machine_or_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(peaks.LIMIT, raising=False)
    assert peaks.read_compile_memory() == int(read_memory_limit() * 0.75)
    monkeypatch.setenv(peaks.LIMIT, "much")
    with pytest.raises(ConfigurationError, match="KBUILD_COMPILE_MEMORY is 'much'"):
        peaks.read_compile_memory()
