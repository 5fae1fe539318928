"""Checks find each mistake of ``tests/projects/planted``, and nothing in the correct kernels.

``planted_details`` has further ones, which other tools were not compared with.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from kbuild.check.journals import read_journals
from support.commands import PROJECTS, run_kbuild

SOURCES: Final = tuple(sorted(PROJECTS.glob("planted*/*.cu")))


def _list_cases(macro: str) -> Iterator[tuple[str, str]]:
    for source in SOURCES:
        for match in re.finditer(
            rf'^{macro}\((\w+), "(\w+)"\) {{', source.read_text(), re.MULTILINE
        ):
            yield match[1], match[2]


CASES: Final = tuple(_list_cases("PLANTED"))
# These happen only in other orders than the usual one.
SCHEDULED_CASES: Final = tuple(_list_cases("SCHEDULED"))


# What clang does not find under the rule, which "Limits" in checks.md explains.
OTHERWISE_WITH_CLANG: Final = {
    "local_array_that_nobody_wrote": set(),
    "result_of_a_local_array_that_nobody_wrote": set(),
    "pixel_that_nobody_wrote": set(),
    "device_variable_past_the_end": {"KC705"},
    "much_behind_a_device_variable": {"KC705"},
    "read_past_a_local_array_through_a_pointer": {"KC705"},
    "write_past_a_local_array_through_a_pointer": {"KC705"},
    "misaligned_vector_of_a_device_variable": set(),
    "object_at_half_of_its_alignment": set(),
    "host_waits_for_a_host_function": set(),
}


# With -O1, kernels whose threads meet at barriers are regions. With -O0, all have fibers.
@pytest.fixture(scope="module", params=["-O1", pytest.param("-O0", marks=pytest.mark.slow)])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_program(tmp_path_factory.mktemp("planted"), request.param)


def build_program(directory: Path, level: str) -> Path:
    program = directory / "planted"
    # As one source, they compile in half of the time.
    source = program.with_name("all.cu")
    source.write_text("".join(f'#include "{path}"\n' for path in SOURCES))
    # Some distributions define the macro, with which copies are no calls of memcpy.
    options = ("--check", "--build-only", level, "-D", "_FORTIFY_SOURCE=2", "-o", program)
    done = run_kbuild("run", *options, source)
    assert done.returncode == 0, done.stderr
    return program


def find_rules(program: Path, directory: Path, *words: str, seed: int = 0) -> set[str]:
    """Run a case, and return the rules of its findings."""
    directory = directory / f"{words[-1]}-{seed}"
    directory.mkdir()
    environment = {**os.environ, "KBUILD_CHECK_REPORT": str(directory), "KBUILD_SEED": str(seed)}
    subprocess.run([program, *words], env=environment, check=False, capture_output=True, timeout=60)
    journals = read_journals(directory)
    assert sum(kernel.started for journal in journals for kernel in journal.kernels) > 0
    return {finding["rule"] for journal in journals for finding in journal.findings}


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 60
    assert len({rule for _, rule in CASES}) >= 15


@pytest.mark.parametrize(("name", "rule"), SCHEDULED_CASES)
def test_other_orders_show_more_mistakes(
    program: Path, tmp_path: Path, name: str, rule: str
) -> None:
    assert find_rules(program, tmp_path, name, "buggy") == set()
    assert find_rules(program, tmp_path, name, "buggy", seed=1) == {rule}
    assert find_rules(program, tmp_path, name, "correct", seed=1) == set()


@pytest.mark.slow
def test_correct_kernels_have_no_findings_in_any_order(program: Path, tmp_path: Path) -> None:
    for name, _ in CASES:
        for seed in (1, 2, 3):
            (directory := tmp_path / f"{name}-{seed}").mkdir()
            assert find_rules(program, directory, name, "correct", seed=seed) == set()


def test_kernels_have_the_model_of_the_level(
    program: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    find_rules(program, tmp_path, "shared_array_past_the_end", "correct")
    (journal,) = read_journals(tmp_path / "correct-0")
    expected = "regions" if "-O1" in request.node.name else "fibers"
    assert [kernel.model for kernel in journal.kernels] == [expected]


def test_a_program_continues_after_an_access_to_no_memory(program: Path, tmp_path: Path) -> None:
    assert find_rules(program, tmp_path, "null_pointer", "buggy") == {"KC103", "KC703"}
    assert all(journal.signal == 0 for journal in read_journals(tmp_path / "buggy-0"))


@pytest.mark.parametrize(("name", "rule"), CASES, ids=[name for name, _ in CASES])
def test_each_mistake_is_found(program: Path, tmp_path: Path, name: str, rule: str) -> None:
    assert rule in find_rules(program, tmp_path, name, "buggy")


@pytest.mark.slow
def test_clang_finds_all_but_these(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("clang is not installed")
    monkeypatch.setenv("CXX", "clang++")
    program = build_program(tmp_path, "-O1")
    others = {}
    for name, rule in CASES:
        (directory := tmp_path / name).mkdir()
        rules = find_rules(program, directory, name, "buggy")
        if rule not in rules:
            others[name] = rules
        assert find_rules(program, directory, name, "correct") == set()
    assert others == OTHERWISE_WITH_CLANG


@pytest.mark.parametrize("name", [name for name, _ in CASES])
def test_correct_kernels_have_no_findings(program: Path, tmp_path: Path, name: str) -> None:
    assert find_rules(program, tmp_path, name, "correct") == set()
