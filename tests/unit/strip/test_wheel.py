from __future__ import annotations

import io
import zipfile

import pytest

from kbuild.errors import InputError
from kbuild.strip.wheel import rewrite_wheel

_RECORD = "d-1.dist-info/RECORD"
_FILES = {
    "d/a.so": b"old",
    'd/"b",.py': b"text",
    "d-1.dist-info/RECORD.jws": b"{}",
    _RECORD: b'd/a.so,sha256=x,3\n"d/""b"",.py",sha256=y,4\n'
    b"d-1.dist-info/RECORD.jws,,\nd-1.dist-info/RECORD,,\n",
}


def make_wheel(files: dict[str, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            info.external_attr = 0o100755 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return stream


def test_changed_files_have_new_digests_and_signatures_go() -> None:
    target = io.BytesIO()

    signatures = rewrite_wheel(
        make_wheel(_FILES), target, lambda name, _: (b"new!",) if name == "d/a.so" else None
    )

    assert signatures == ("d-1.dist-info/RECORD.jws",)
    with zipfile.ZipFile(target) as archive:
        assert archive.namelist() == ["d/a.so", 'd/"b",.py', _RECORD]
        assert archive.read("d/a.so") == b"new!"
        info = archive.getinfo("d/a.so")
        assert (info.date_time, info.external_attr) == ((2020, 1, 2, 3, 4, 6), 0o100755 << 16)
        # base64.urlsafe of sha256("new!"), from sha256sum
        digest = "vdHlJOXJC-6RpPGsSgh8oAEuNiNasktRNtKmOI561Ys"
        assert archive.read(_RECORD).decode() == (
            f'd/a.so,sha256={digest},4\n"d/""b"",.py",sha256=y,4\nd-1.dist-info/RECORD,,\n'
        )


def test_invalid_wheels_are_rejected() -> None:
    def rewrite(files: dict[str, bytes]) -> None:
        rewrite_wheel(make_wheel(files), io.BytesIO(), lambda _name, _content: (b"new",))

    with pytest.raises(InputError, match=r"expected one \.dist-info/RECORD in the wheel, found 0"):
        rewrite({"a": b""})
    with pytest.raises(InputError, match="RECORD does not list 'a'"):
        rewrite({"a": b"", _RECORD: b""})
    with pytest.raises(InputError, match="not a valid wheel"):
        rewrite_wheel(io.BytesIO(b"PK\3\4"), io.BytesIO(), lambda _name, _content: None)
