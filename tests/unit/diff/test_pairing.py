"""Artifacts are paired by path; versions and platforms in names are ignored."""

from __future__ import annotations

import pytest

from kbuild.diff.pairing import is_configure_output, pair_artifacts, remove_versions
from support.facts.build_sides import artifact


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k-1.0-py3-none-any.whl!k/libk.so", "k-1.10rc1-cp312-cp312-linux_x86_64.whl!k/libk.so"),
        ("k/_k.cpython-310-x86_64-linux-gnu.so", "k/_k.cpython-313-x86_64-linux-gnu.so"),
        ("k/_k.abi3.so", "k/_k.so"),
        ("k.libs/libcudart-0123abcd.so.12.1.105", "k.libs/libcudart-9876fedc.so.13"),
        ("lib/libk.so.1.2", "lib/libk.so.1.3"),
        ("k-1.0.data/purelib/k.so", "k-2.0.data/purelib/k.so"),
    ],
)
def test_versions_are_removed_from_names(old: str, new: str) -> None:
    assert remove_versions(old) == remove_versions(new)


@pytest.mark.parametrize(
    ("one", "other"), [("lib/liba.so", "lib/libb.so"), ("sm_80/k.o", "sm_90/k.o"), ("k1.o", "k2.o")]
)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert remove_versions(one) != remove_versions(other)


def test_exact_paths_are_paired_first() -> None:
    old = [artifact(name=name) for name in ("a/libk.so.1", "libk.so.1", "libk.so.2")]
    new = [artifact(name=name) for name in ("a/libk.so.2", "libk.so.2", "libk.so.3")]

    names = [(a.name if a else None, b.name if b else None) for a, b in pair_artifacts(old, new)]

    assert names == [
        ("a/libk.so.1", "a/libk.so.2"),
        ("libk.so.1", "libk.so.3"),
        ("libk.so.2", "libk.so.2"),
    ]


def test_single_artifacts_are_paired_whatever_their_names() -> None:
    ((old, new),) = pair_artifacts([artifact(name="a.cubin")], [artifact(name="b.cubin")])

    assert old is not None
    assert new is not None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("build/CMakeFiles/3.31.2/CompilerIdCXX/a.out", True),
        ("CMakeFiles/CMakeScratch/TryCompile-x/a.o", True),
        ("build/CMakeFiles/app.dir/main.cpp.o", False),
        ("build/libk.so", False),
    ],
)
def test_cmake_configure_output_is_recognized(path: str, expected: bool) -> None:
    assert is_configure_output(path) is expected
