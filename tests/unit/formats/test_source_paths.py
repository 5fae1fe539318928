from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kbuild.formats.source_paths import find_source_paths


def test_source_paths_are_found_once() -> None:
    content = b'\0/home/me/a.cu\0x /home/me/a.cu\0/work/b+c/d.hip"/usr/include/x.h\0/opt/r/y.h\0'
    assert find_source_paths(content) == ("/home/me/a.cu", "/work/b+c/d.hip")
    assert find_source_paths(memoryview(content)) == find_source_paths(content)


def test_directories_in_line_tables_are_found() -> None:
    content = b"\1\1/home/me/project\0/usr/include\0/short\0\0k.cu\0\1\0\0"
    assert find_source_paths(content) == ("/home/me/project",)


def test_other_text_is_not_a_source_path() -> None:
    assert find_source_paths(b"a/b.cu /b.cu /home/me/a.o /home/me/a.cubin //x") == ()


def test_number_of_paths_is_limited() -> None:
    assert len(find_source_paths(b"".join(b"/a/%d.cu " % n for n in range(1000)))) == 16


@given(st.binary(max_size=300))
def test_arbitrary_bytes_do_not_raise(content: bytes) -> None:
    find_source_paths(content)
