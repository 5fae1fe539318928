from __future__ import annotations

import hashlib
import io
import zipfile

import pytest

from kbuild.errors import InputError
from kbuild.formats.dist_info import find_record_problems, format_digest, list_bills

_DIRECTORY = "d-1.dist-info/"
_DIGEST = format_digest(hashlib.sha256(b"data").digest())


def open_wheel(record: str, *names: str) -> zipfile.ZipFile:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, b"data")
        archive.writestr(f"{_DIRECTORY}RECORD", record)
    return zipfile.ZipFile(stream)


def find(record: str, *names: str) -> list[tuple[str, str]]:
    with open_wheel(record, *names) as archive:
        return [(p.where, p.message) for p in find_record_problems(archive)]


def test_record_describes_each_file_but_itself_and_its_signatures() -> None:
    signature = f"{_DIRECTORY}RECORD.jws"
    assert find(f'"a, b.py",sha256={_DIGEST},4\n', "a, b.py", signature, "d/") == []
    assert find("", "b", "a") == [("b", "not in RECORD"), ("a", "not in RECORD")]
    assert find("z,,\na,,\n") == [
        ("a", "in RECORD, but not in the wheel"),
        ("z", "in RECORD, but not in the wheel"),
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (f"a,sha256={_DIGEST[:-1]}x,4", "the digest differs from that in RECORD"),
        ("a,md5=8d777f385d3dfec8815d20f7496026dc,4", "RECORD has no SHA-256, but md5"),
        ("a,,4", "RECORD has no digest"),
        ("a", "RECORD has no digest"),
    ],
)
def test_record_must_have_digests(row: str, problem: str) -> None:
    assert find(row, "a") == [("a", problem)]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_are_unique() -> None:
    assert find(f"a,sha256={_DIGEST},4", "a", "a") == [("a", "in the wheel twice")]


def test_bills_are_in_their_directory() -> None:
    names = (f"{_DIRECTORY}sboms/a.json", f"{_DIRECTORY}sboms/", "sboms/b.json")
    with open_wheel("", *names) as archive:
        assert list_bills(archive) == names[:1]
    with zipfile.ZipFile(io.BytesIO(), "w") as empty, pytest.raises(InputError, match="found 0"):
        list_bills(empty)
