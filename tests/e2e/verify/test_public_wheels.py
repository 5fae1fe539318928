"""No error in public wheels that work: the false alarms of `kbuild verify`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from support.commands import run, run_kbuild

_LIST = Path(__file__).with_name("public_wheels.txt")
REQUIREMENTS = [
    requirement
    for line in _LIST.read_text(encoding="utf-8").splitlines()
    if (requirement := line.partition("#")[0].strip())
]
_LEAST = 15
# Wheels for any of these platforms, independent of the machine and the Python of the tests.
_MANYLINUX = (
    *("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux_2_27_x86_64"),
    *("manylinux_2_24_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
)
_PLATFORMS = [word for name in _MANYLINUX for word in ("--platform", name)]
_WORDS = ("--no-deps", "--only-binary=:all:", "--implementation=cp", "--python-version=3.12")
# How pip says that it cannot reach the index.
_UNREACHABLE = ("connection broken by", "Could not fetch URL")


def _download(requirement: str, directory: Path) -> Path:
    words = ("-m", "pip", "download", "--retries=1", "--timeout=60", "--dest", directory)
    result = run(sys.executable, *words, *_WORDS, *_PLATFORMS, requirement)
    if result.returncode != 0 and any(text in result.stderr for text in _UNREACHABLE):
        pytest.skip(f"no network: {result.stderr.splitlines()[0]}")
    assert result.returncode == 0, result.stderr
    (wheel,) = directory.glob("*.whl")
    return wheel


@pytest.fixture
def directory() -> Iterator[Path]:
    """Yield a directory that disappears after the test, unlike those of pytest."""
    with TemporaryDirectory() as path:
        yield Path(path)


@pytest.mark.slow
@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_public_wheel_has_no_error(requirement: str, directory: Path) -> None:
    wheel = _download(requirement, directory)

    result = run_kbuild("verify", "--format", "json", wheel)

    assert "Traceback" not in result.stderr
    report = json.loads(result.stdout)
    errors = [
        f"{f['rule']} {f['path']}: {f['message']}"
        for f in report["findings"]
        if f["severity"] == "error"
    ]
    assert (errors, report["rules_errored"], report["ok"]) == ([], [], True)
    assert result.returncode == 0, result.stderr


def test_list_pins_enough_versions() -> None:
    assert len(REQUIREMENTS) >= _LEAST
    assert all(requirement.count("==") == 1 for requirement in REQUIREMENTS)
    assert len({requirement.partition("==")[0] for requirement in REQUIREMENTS}) == len(
        REQUIREMENTS
    )
