"""Tests for the memory limit and the number of device compiles that fit into it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild.stages.memory.limit import count_device_jobs, read_memory_limit

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(
    ("peak", "limit", "jobs"), [(1 << 30, 12 << 30, 12), (1 << 30, 1 << 20, 1), (3, 8, 2)]
)
def test_as_many_jobs_as_fit_run_at_once(peak: int, limit: int, jobs: int) -> None:
    assert count_device_jobs(peak, limit) == jobs


@pytest.mark.parametrize(
    ("membership", "file", "text", "expected"),
    [
        ("0::/a/b", "a/b/memory.max", "4096", 4096),
        ("0::/a/b", "a/memory.max", "8192", 8192),
        ("0::/host/path", "memory.max", "8192", 8192),
        ("0::/a", "a/memory.max", "max", MACHINE),
        ("5:cpu,memory:/a\n0::/", "memory/a/memory.limit_in_bytes", "4096", 4096),
        ("5:memory:/a", "memory/a/memory.limit_in_bytes", "9223372036854771712", MACHINE),
        ("5:cpu:/a", "a/memory.max", "4096", MACHINE),
    ],
)
def test_limit_of_the_control_group_applies(
    tmp_path: Path, membership: str, file: str, text: str, expected: int
) -> None:
    (tmp_path / "cgroup").write_text(membership + "\n")
    path = tmp_path / "groups" / file
    path.parent.mkdir(parents=True)
    path.write_text(text + "\n")

    assert read_memory_limit(tmp_path / "groups", tmp_path / "cgroup") == expected


def test_limit_without_control_groups_is_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert read_memory_limit(tmp_path, tmp_path / "none") == MACHINE
