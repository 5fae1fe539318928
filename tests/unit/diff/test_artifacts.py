"""Differences besides kernels: architectures, data, handles, and files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbuild.diff.compare import compare_sides
from kbuild.diff.inputs import DiffOptions
from kbuild.diff.model import ASPECTS, DiffReport
from kbuild.diff.pairing import Artifact
from kbuild.facts import CodeFacts, HostKernel, Place, Symbol
from support.facts.build_sides import artifact, image, kernel, side

KERNEL = kernel("f", 8)
PLAIN = image({KERNEL: "c"})


def compare(old: tuple[Artifact, ...], new: tuple[Artifact, ...]) -> DiffReport:
    return compare_sides(side(*old), side(*new), DiffOptions(aspects=ASPECTS))


def test_added_and_removed_architectures_are_reported() -> None:
    report = compare(
        (artifact(PLAIN, image({KERNEL: "c"}, arch="sm_80")),),
        (artifact(PLAIN, image({KERNEL: "c"}, arch="sm_100")),),
    )

    assert [(i.arch, i.status) for i in report.images] == [
        ("sm_80", "removed"),
        ("sm_100", "added"),
    ]
    assert report.functions == ()


def test_removed_file_with_kernels_is_reported() -> None:
    report = compare(
        (artifact(PLAIN), artifact(PLAIN, name="gone.so"), artifact(name="plain.o")),
        (artifact(PLAIN), artifact(name="other.o")),
    )

    assert [(a.file, a.status, a.kernels) for a in report.artifacts] == [("gone.so", "removed", 1)]


def test_data_is_compared_by_name() -> None:
    def with_data(**values: str) -> Artifact:
        code = CodeFacts(functions=(("f", "c"),), data=tuple(values.items()))
        return artifact(replace(PLAIN, code=code))

    report = compare((with_data(a="1", b="1", c="1"),), (with_data(a="1", b="2", d="1"),))

    assert [(d.name, d.status) for d in report.data] == [
        ("b", "changed"),
        ("c", "removed"),
        ("d", "added"),
    ]


def test_opaque_image_is_compared_by_its_bytes() -> None:
    def opaque(digest: str) -> Artifact:
        return artifact(replace(PLAIN, kernels=(), kind="bitcode", code=CodeFacts(context=digest)))

    assert compare((opaque("1"),), (opaque("1"),)).is_equal
    (change,) = compare((opaque("1"),), (opaque("2"),)).images
    assert [(c.field, c.old, c.new) for c in change.code] == [("bytes", "1", "2")]


def symbol(visibility: str = "default", binding: str = "global") -> Symbol:
    return Symbol(
        name="f",
        type="function",
        binding=binding,  # type: ignore[arg-type]
        visibility=visibility,  # type: ignore[arg-type]
        size=8,
        value=0,
        place=Place(section=1, offset=0),
        dynamic=False,
    )


def with_handle(found: Symbol | None) -> Artifact:
    host = HostKernel(backend="cuda", kernel="f", symbol=found, stub=None, is_registered=True)
    return artifact(PLAIN, host_kernels=(host,))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (symbol(), symbol("hidden"), ("exported", "hidden", True)),
        (symbol(), symbol(binding="local"), ("exported", "local", True)),
        (symbol(), None, ("exported", None, True)),
        (symbol("hidden"), symbol("protected"), ("hidden", "exported", False)),
        (symbol(binding="weak"), symbol(), None),
        (symbol("hidden"), None, None),
        (None, symbol(), None),
    ],
)
def test_handle_change_is_a_break_when_it_is_no_longer_exported(
    old: Symbol | None, new: Symbol | None, expected: tuple[str, str | None, bool] | None
) -> None:
    report = compare((with_handle(old),), (with_handle(new),))

    assert [(h.old, h.new, h.is_break) for h in report.handles] == ([expected] if expected else [])
    assert report.breaks == bool(expected and expected[2])


def test_same_change_in_several_files_is_reported_once() -> None:
    old, new = kernel("f", 8, registers=1), kernel("f", 8, registers=2)
    names = ("a.o", "b.so")
    report = compare(
        tuple(artifact(image({old: "c"}), name=name) for name in names),
        tuple(artifact(image({new: "c"}), name=name) for name in names),
    )

    (change,) = report.functions
    assert change.files == names


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, 8, []),
        (8, None, []),
        (0, 8, [("spill_bytes", 0, 8)]),
    ],
)
def test_spills_that_only_one_file_states_are_no_change(
    old: int | None, new: int | None, expected: list[tuple[str, int, int]]
) -> None:
    def spilling(spill_bytes: int | None) -> Artifact:
        resources = replace(KERNEL.resources, spill_bytes=spill_bytes)
        return artifact(image({replace(KERNEL, resources=resources): "c"}))

    report = compare((spilling(old),), (spilling(new),))

    changes = [c for function in report.functions for c in function.resources]
    assert [(c.field, c.old, c.new) for c in changes] == expected
    assert report.is_equal == (not expected)
