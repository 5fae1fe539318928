"""Archives as GNU ar writes them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.formats.archive import Member, is_archive, read_members

LONG = "a_name_that_does_not_fit_in_sixteen_bytes.o"


def test_gnu_archive(tmp_path: Path) -> None:
    members = {"odd.o": b"123", LONG: b"\x7fELF", "with space.o": b"", "b.o": b"x"}
    for name, data in members.items():
        (tmp_path / name).write_bytes(data)
    subprocess.run(["ar", "qc", "lib.a", *members], cwd=tmp_path, check=True)
    found = read_members((tmp_path / "lib.a").read_bytes())
    assert found == tuple(Member(name=n, data=d) for n, d in members.items())


def test_symbol_table_is_not_a_member(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("int f(void) { return 0; }\n")
    subprocess.run(["gcc", "-c", "f.c"], cwd=tmp_path, check=True)
    subprocess.run(["ar", "rcs", "lib.a", "f.o"], cwd=tmp_path, check=True)
    (member,) = read_members((tmp_path / "lib.a").read_bytes())
    assert member.name == "f.o"
    assert member.data == (tmp_path / "f.o").read_bytes()


def test_members_of_one_name_are_all_there(tmp_path: Path) -> None:
    for directory in ("a", "b"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "k.o").write_text(directory)
    subprocess.run(["ar", "qc", "lib.a", "a/k.o", "b/k.o"], cwd=tmp_path, check=True)
    found = read_members((tmp_path / "lib.a").read_bytes())
    assert [(m.name, m.data) for m in found] == [("k.o", b"a"), ("k.o", b"b")]


def test_thin_archive_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "k.o").write_text("x")
    subprocess.run(["ar", "rcT", "lib.a", "k.o"], cwd=tmp_path, check=True)
    content = (tmp_path / "lib.a").read_bytes()
    assert is_archive(content)
    with pytest.raises(InputError, match="thin archive"):
        read_members(content)
