"""Matching kernels: a rename needs evidence, and build noise in names does not count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.diff.compare import compare_sides
from kbuild.diff.inputs import DiffOptions, Side
from kbuild.model import Kernel
from support.facts.build_sides import FACTS_ONLY, artifact, compare, image, kernel, side

OLD_MODULE = "_ZN36_GLOBAL__N__08c242af_4_k_cu__Z4slowf2anEPi"
NEW_MODULE = "_ZN36_GLOBAL__N__77777777_4_k_cu__Z4slowf2anEPi"


def test_kernel_is_renamed_when_code_and_layout_are_equal() -> None:
    report = compare({kernel("f", 8): "c"}, {kernel("g", 8): "c"})

    (change,) = report.functions
    assert (change.status, change.old_name, change.new_name) == ("renamed", "f", "g")
    assert change.breaks == ("its symbol changed",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({kernel("f", 8): "c"}, {kernel("g", 8): "d"}),
        ({kernel("f", 8): "c"}, {kernel("g", 4): "c"}),
        ({kernel("f", 8): "c"}, {kernel("g", 8): "c", kernel("h", 8): "c"}),
    ],
)
def test_kernel_is_not_renamed_when_code_or_layout_differ_or_candidates_are_several(
    old: dict[Kernel, str], new: dict[Kernel, str]
) -> None:
    report = compare(old, new)

    assert [f.status for f in report.functions].count("removed") == 1
    assert {f.status for f in report.functions} == {"removed", "added"}


def test_signature_changes_when_parameters_of_a_name_change() -> None:
    report = compare(
        {kernel("_Z1fPi", 8, display="f(int*)"): "c"},
        {kernel("_Z1fPii", 8, 4, display="f(int*, int)"): "d"},
    )

    (change,) = report.functions
    assert change.status == "signature"
    assert change.breaks == (
        "its signature changed, and therefore its symbol",
        "parameters: 1 more",
    )


def test_overloads_are_not_matched() -> None:
    report = compare(
        {kernel("_Z1fPi", 8, display="f(int*)"): "a", kernel("_Z1ff", 4, display="f(float)"): "b"},
        {kernel("_Z1fd", 8, display="f(double)"): "d"},
    )

    assert sorted(f.status for f in report.functions) == ["added", "removed", "removed"]


def test_compilation_hash_in_a_name_is_not_a_rename() -> None:
    report = compare({kernel(OLD_MODULE, 8): "c"}, {kernel(NEW_MODULE, 8): "c"})

    assert report.is_equal
    assert report.compared == 1


def test_unnamed_namespaces_of_different_sources_are_not_matched() -> None:
    other = NEW_MODULE.replace("k_cu", "j_cu")
    report = compare({kernel(OLD_MODULE, 8): "c"}, {kernel(other, 8): "d"})

    assert {f.status for f in report.functions} == {"removed", "added"}


def test_equal_copies_are_paired_in_any_order() -> None:
    a, b = kernel("t", 8, registers=10), kernel("t", 8, registers=20)
    report = compare_sides(
        side(artifact(image({a: "1"}), image({b: "2"}))),
        side(artifact(image({b: "2"}), image({a: "1"}))),
        DiffOptions(aspects=FACTS_ONLY),
    )

    assert report.is_equal


def test_kernel_without_a_symbol_is_undecided_when_the_image_differs() -> None:
    nameless = kernel("hidden", 8)

    def make(digest: str) -> Side:
        plain = image({kernel("f", 8): digest})
        return side(artifact(replace(plain, kernels=(*plain.kernels, nameless))))

    options = DiffOptions(aspects=("code",), code_limit=0)
    report = compare_sides(make("1"), make("2"), options)

    undecided = [f.old_name for f in report.functions if f.code and f.code.undecided]
    assert undecided == ["f", "hidden"]
    assert compare_sides(make("1"), make("1"), options).is_equal


def test_kernel_with_fewer_copies_is_not_removed() -> None:
    a = kernel("t", 8)
    report = compare_sides(
        side(artifact(image({a: "1"}), image({a: "1"}))),
        side(artifact(image({a: "1"}))),
        DiffOptions(aspects=("abi", "size")),
    )

    (change,) = report.functions
    assert change.status == "changed"
    assert [(c.field, c.old, c.new) for c in change.sizes] == [("copies", 2, 1)]


NAMES = st.sampled_from(["_Z1fPi", "_Z1fPii", "_Z1gPi", "_Z1hf", "plain", OLD_MODULE, NEW_MODULE])
KERNELS = st.builds(
    lambda name, sizes, registers: kernel(name, *sizes, registers=registers),
    NAMES,
    st.lists(st.sampled_from([4, 8]), max_size=3),
    st.integers(1, 3),
)
SIDES = st.lists(
    st.tuples(KERNELS, st.sampled_from("abc")), max_size=5, unique_by=lambda pair: pair[0].name
).map(dict)
MIRRORED = {"added": "removed", "removed": "added"}


@given(SIDES)
def test_side_equals_itself(kernels: dict[Kernel, str]) -> None:
    assert compare(kernels, kernels).is_equal


@given(SIDES, SIDES)
def test_swapped_sides_give_the_mirrored_report(
    old: dict[Kernel, str], new: dict[Kernel, str]
) -> None:
    forth, back = compare(old, new), compare(new, old)

    def spell(name: str | None) -> str:
        return name or ""

    assert sorted((f.status, spell(f.old_name), spell(f.new_name)) for f in forth.functions) == (
        sorted(
            (MIRRORED.get(f.status, f.status), spell(f.new_name), spell(f.old_name))
            for f in back.functions
        )
    )


@given(SIDES, SIDES)
def test_every_kernel_is_compared_added_or_removed(
    old: dict[Kernel, str], new: dict[Kernel, str]
) -> None:
    report = compare(old, new)

    added = sum(f.status == "added" for f in report.functions)
    removed = sum(f.status == "removed" for f in report.functions)
    assert report.compared + removed == len(old)
    assert report.compared + added == len(new)


@pytest.mark.parametrize(
    ("old", "new", "breaks"),
    [
        ({}, {"required_block": (8, 1, 1)}, "it can only be launched with blocks of 8x1x1"),
        ({}, {"linkage": "internal"}, "other files can no longer refer to it"),
    ],
)
def test_block_size_and_linkage_can_break_the_abi(
    old: dict[str, Any], new: dict[str, Any], breaks: str
) -> None:
    report = compare({kernel("f", 8, **old): "c"}, {kernel("f", 8, **new): "c"})

    (change,) = report.functions
    assert change.breaks == (breaks,)


def test_unknown_parameter_type_is_not_a_change() -> None:
    known = kernel("f", 8)
    typed = replace(known, params=(replace(known.params[0], type="int*"),))
    other = replace(known, params=(replace(known.params[0], type="float*"),))

    assert compare({known: "c"}, {typed: "c"}).is_equal
    assert compare({typed: "c"}, {other: "c"}).functions[0].breaks == (
        "the layout or type of parameter 0 changed",
    )


def test_aspects_that_are_not_requested_are_ignored() -> None:
    old, new = kernel("f", 8, registers=10), kernel("f", 8, registers=20)

    assert not compare({old: "c"}, {new: "c"}).is_equal
    assert compare({old: "c"}, {new: "c"}, aspects=("abi", "size")).is_equal
