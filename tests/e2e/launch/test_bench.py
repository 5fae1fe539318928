"""`kbuild bench launch`: counts for every backend, which need no device."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from kbuild.backends import find_builder
from support.commands import KBUILD, run, succeed
from support.tools.toolchains import require_backend, require_programs

# A release launch must not allocate, lock, push, or pop.
UNWANTED = re.compile(
    r"malloc|calloc|realloc|free|operator (new|delete)|pthread_|mutex|Configuration|configuration"
)
# The maximum number of instructions beyond a handwritten call of the same entry.
MAX_EXCESS = 15


def count(backend: str, path: Path | None = None) -> list[dict[str, Any]]:
    """Return a table for each host compiler on PATH, which ``path`` replaces."""
    words = ("bench", "launch", "--backend", backend, "--format", "json")
    result = run(*(("env", f"PATH={path}") if path else ()), KBUILD, *words)
    succeed(result)
    counted: list[dict[str, Any]] = json.loads(result.stdout)["counted"]
    return counted


def check(backend: str, counted: list[dict[str, Any]]) -> None:
    assert counted
    for table in counted:
        ways = {way["name"]: way for way in table["ways"]}
        for name in (
            "kbuild::launch",
            "kbuild::launch, kernel in another file",
            "kbuild_launch in C",
        ):
            way = ways[name]
            assert [word for word in way["passed"] if UNWANTED.search(word)] == []
            assert way["passed"] == []
            assert way["entry"] in find_builder(backend).TRAITS.launch_entries
            assert way["excess"] <= MAX_EXCESS, (table["compiler"], name)
        pushing = next(way for name, way in ways.items() if "push, stub, pop" in name)
        stub = ways["kbuild::launch, debug stub"]
        for way in (pushing, stub):
            assert way["excess"] > 0
            assert any(UNWANTED.search(word) for word in way["passed"])
        assert "__device_stub__stubbed" in " ".join(stub["passed"])


@pytest.fixture(autouse=True)
def need_valgrind() -> None:
    require_programs("valgrind")


@pytest.mark.slow
def test_counts_on_the_cpu_are_small_and_reproducible(tmp_path: Path) -> None:
    first = count("cpu")

    check("cpu", first)
    # Count again with gcc only, whose table is the first.
    tools = ("as", "ld", "ar", "ranlib", "objcopy")
    for name in ("sh", "gcc", "g++", *tools, "cmake", "ninja"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    # Valgrind searches for its parts relative to the name with which it is called.
    (tmp_path / "valgrind").write_text(f'#!/bin/sh\nexec {shutil.which("valgrind")} "$@"\n')
    (tmp_path / "valgrind").chmod(0o755)
    assert count("cpu", tmp_path) == first[:1]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["cuda", "hip"])
def test_counts_of_gpu_backends_need_no_device(backend: str) -> None:
    require_backend(backend)

    check(backend, count(backend))


def test_missing_valgrind_is_one_message_with_the_fix(tmp_path: Path) -> None:
    result = run("env", f"PATH={tmp_path}", KBUILD, "bench", "launch")

    assert result.returncode == 3
    (line,) = result.stderr.splitlines()
    assert line == (
        "kbuild: error: valgrind not found; it counts the instructions; install it with: "
        "apt-get install valgrind; no device found to time launches of backend 'cpu'"
    )
