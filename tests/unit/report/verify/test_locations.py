from __future__ import annotations

from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given

from kbuild.report.verify.locations import make_uri, split_member
from support.facts.build_reports import TEXT


@pytest.mark.parametrize(
    ("path", "file", "member"),
    [
        ("libk.so", "libk.so", None),
        ("libk.a!x.o", "libk.a", "x.o"),
        ("d/k-1.0.whl!k/lib/libk.a!x.o", "d/k-1.0.whl", "k/lib/libk.a!x.o"),
        ("odd!directory/libk.so", "odd!directory/libk.so", None),
        ("odd!directory/libk.a!x.o", "odd!directory/libk.a", "x.o"),
        ("libk.a!", "libk.a!", None),
        ("", "", None),
    ],
)
def test_path_is_split_into_file_and_member(path: str, file: str, member: str | None) -> None:
    assert split_member(path) == (file, member)


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("build/libk.so", "build/libk.so"),
        ("./build//libk.so", "build/libk.so"),
        ("../k.so", "../k.so"),
        ("a b#c?d%é:.so", "a%20b%23c%3Fd%25%C3%A9%3A.so"),
        ("\udcff.so", "%FF.so"),
        ("/opt/k.so", "file:///opt/k.so"),
        ("//opt/k.so", "file:///opt/k.so"),
    ],
)
def test_uri(path: str, uri: str) -> None:
    assert make_uri(path) == uri


@given(TEXT)
def test_uri_is_ascii_and_names_the_file(path: str) -> None:
    uri = make_uri(path)
    assert uri.isascii()
    assert uri.isprintable()
    assert not set(uri) & set(' "<>\\^`{|}#?')
    if not path.startswith("/"):
        assert unquote_to_bytes(uri)
        assert ":" not in uri
