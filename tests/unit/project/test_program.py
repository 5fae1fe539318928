"""Programs in the cache: which ones stay."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from kbuild.project import program
from kbuild.project.directory import BuildDirectory, claim_directory, hold_lock
from kbuild.project.program import MOST_PROGRAMS, remove_old_programs

HOUR = 3600


def make_program(cache: Path, name: str, hours: float) -> BuildDirectory:
    """Make the build of a program that was run some hours ago."""
    directory = BuildDirectory(root=cache / name)
    with hold_lock(directory, pytest.fail):
        claim_directory(directory, (program.TARGET,))
        (directory.root / program.TARGET).mkdir()
    used = time.time() - hours * HOUR
    os.utime(directory.lock, (used, used))
    return directory


def list_programs(cache: Path) -> set[str]:
    return {path.name for path in cache.iterdir() if path.is_dir()}


def test_programs_that_were_run_last_stay(tmp_path: Path) -> None:
    for age in range(MOST_PROGRAMS + 2):
        make_program(tmp_path, f"p{age}", 2 + age)

    remove_old_programs(tmp_path)

    assert list_programs(tmp_path) == {f"p{age}" for age in range(MOST_PROGRAMS)}


def test_programs_in_use_and_other_files_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "MOST_PROGRAMS", 0)
    make_program(tmp_path, "recent", 0.5)
    make_program(tmp_path, "old", 2)
    (make_program(tmp_path, "other", 2).root / "file").touch()
    locked = make_program(tmp_path, "locked", 2)
    (tmp_path / "removed").mkdir()  # another process removes it
    with hold_lock(locked, pytest.fail):
        used = time.time() - 2 * HOUR
        os.utime(locked.lock, (used, used))

        remove_old_programs(tmp_path)

    assert list_programs(tmp_path) == {"recent", "locked", "other", "removed"}
    assert (tmp_path / "other" / "file").is_file()
