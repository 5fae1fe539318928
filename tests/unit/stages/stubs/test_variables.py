"""Tests for the table of device variables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kbuild.model import DeviceImage, Variable
from kbuild.stages.stubs.variables import build_variable_table

WEIGHTS = Variable(name="weights", display="weights", kind="constant", size=16)
TABLE = Variable(name="_ZN2ns5tableE", display="ns::table", kind="device", size=4)


def image(source: str, arch: str, *variables: Variable) -> DeviceImage:
    return DeviceImage(
        source=source,
        arch=arch,
        kind="elf",
        path=Path(arch),
        sha256="0" * 64,
        size=1,
        kernels=(),
        variables=variables,
    )


def source(name: str, *variables: Variable) -> tuple[str, tuple[DeviceImage, ...]]:
    return name, (image(name, "sm_80", *variables), image(name, "sm_90", *variables))


def test_each_variable_has_a_row() -> None:
    table = build_variable_table((source("a.cu"), source("b.cu", WEIGHTS, TABLE)), frozenset())

    assert [(row.shadow, row.kind, row.size, row.container) for row in table.rows] == [
        ("weights", "constant", 16, 1),
        ("_ZN2ns5tableE", "device", 4, 1),
    ]
    assert table.notes == ()


def test_variable_of_two_sources_has_a_note_instead_of_a_row() -> None:
    sources = (source("a.cu", WEIGHTS, TABLE), source("b.cu", WEIGHTS))

    table = build_variable_table(sources, frozenset())

    assert [row.shadow for row in table.rows] == ["_ZN2ns5tableE"]
    (note,) = table.notes
    assert "weights (a.cu, b.cu)" in note
    assert "RDC ON" in note


def test_note_lists_only_the_first_names() -> None:
    many = [replace(WEIGHTS, name=f"v{i}", display=f"v{i}") for i in range(9)]

    (note,) = build_variable_table((source("a", *many), source("b", *many)), frozenset()).notes

    assert "v4 (a, b), and 4 more" in note
    assert "v5" not in note


def test_images_that_disagree_leave_the_variable_out() -> None:
    larger = replace(WEIGHTS, size=32)
    images = (image("a.cu", "sm_80", WEIGHTS, TABLE), image("a.cu", "sm_90", larger, TABLE))

    table = build_variable_table((("a.cu", images),), frozenset())

    assert [row.shadow for row in table.rows] == ["_ZN2ns5tableE"]


def test_kernels_come_first() -> None:
    assert build_variable_table((source("a.cu", WEIGHTS),), frozenset({"weights"})).rows == ()
