"""Finding the parts that differ between two files, and showing their content."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.diff.reproducible.compare import compare_builds
from kbuild.diff.reproducible.parts import compare_parts


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Compile one source: unchanged, with other values, and with debug information."""
    directory = tmp_path_factory.mktemp("objects")
    source = directory / "a.c"
    source.write_text("const int value = VALUE; const char text[] = TEXT;")
    calls = {
        "one": ("-DVALUE=1", '-DTEXT="/home/me/x"'),
        "two": ("-DVALUE=2", '-DTEXT="/home/me/x"'),
        "text": ("-DVALUE=1", '-DTEXT="/home/you/x"'),
        "debug": ("-g", "-DVALUE=1", '-DTEXT="/home/me/x"'),
    }
    for name, options in calls.items():
        output = directory / f"{name}.o"
        subprocess.run(["gcc", "-c", source, "-o", output, *options], check=True)
    return {name: (directory / f"{name}.o").read_bytes() for name in calls}


def test_equal_files_have_no_difference(objects: dict[str, bytes]) -> None:
    assert compare_parts(objects["one"], objects["one"]) == ()


def test_section_and_bytes_of_a_difference_are_reported(objects: dict[str, bytes]) -> None:
    (part,) = compare_parts(objects["one"], objects["two"])

    assert (part.name, part.offset, part.cause) == (".rodata", 0, None)
    assert part.first.startswith("01 00 00 00")
    assert part.second.startswith("02 00 00 00")


def test_text_is_shown_from_start_to_end(objects: dict[str, bytes]) -> None:
    parts = compare_parts(objects["one"], objects["text"])

    part = next(part for part in parts if part.name == ".rodata")
    assert (part.first, part.second) == ("/home/me/x", "/home/you/x")
    assert part.cause == "path"


def test_section_that_one_side_lacks_has_no_size_there(objects: dict[str, bytes]) -> None:
    parts = {part.name: part for part in compare_parts(objects["one"], objects["debug"])}

    assert parts[".debug_info"].first_size is None
    assert parts[".debug_info"].cause == "debug-information"
    assert ".rodata" not in parts


def test_difference_outside_of_sections_is_reported(objects: dict[str, bytes]) -> None:
    other = bytearray(objects["one"])
    other[0x30] ^= 1  # e_flags

    (part,) = compare_parts(objects["one"], bytes(other))

    assert (part.name, part.offset) == ("(headers and padding)", 0x30)


@pytest.mark.parametrize(
    ("first", "second", "offset"), [(b"same", b"some", 1), (b"", b"a", 0), (b"ab", b"abc", 2)]
)
def test_files_that_are_not_elf_are_compared_as_a_whole(
    first: bytes, second: bytes, offset: int
) -> None:
    (part,) = compare_parts(first, second)

    assert (part.name, part.offset) == ("(content)", offset)


def test_difference_in_a_later_chunk_is_found() -> None:
    (part,) = compare_parts(bytes(200_000) + b"a", bytes(200_000) + b"b")

    assert part.offset == 200_000


def test_files_and_members_that_one_side_lacks_are_reported(
    tmp_path: Path, objects: dict[str, bytes]
) -> None:
    for side, names in (("a", ("one", "two")), ("b", ("one", "debug"))):
        directory = tmp_path / side
        directory.mkdir()
        for name in names:
            (directory / f"{name}.o").write_bytes(objects[name])
        subprocess.run(
            ["ar", "rcD", "libx.a", *(f"{n}.o" for n in names)], cwd=directory, check=True
        )

    report = compare_builds(tmp_path / "a", tmp_path / "b")

    assert [(file.file, file.status) for file in report.files] == [
        ("debug.o", "only-second"),
        ("libx.a!two.o", "only-first"),
        ("libx.a!debug.o", "only-second"),
        ("two.o", "only-first"),
    ]
    assert report.compared == 4


def test_archive_with_equal_members_differs_as_a_whole(
    tmp_path: Path, objects: dict[str, bytes]
) -> None:
    (tmp_path / "one.o").write_bytes(objects["one"])
    for name, mode in (("a.a", "rcD"), ("b.a", "rcU")):
        subprocess.run(["ar", mode, name, "one.o"], cwd=tmp_path, check=True)

    report = compare_builds(tmp_path / "a.a", tmp_path / "b.a")

    (file,) = report.files
    assert [part.name for part in file.sections] == ["(content)"]
