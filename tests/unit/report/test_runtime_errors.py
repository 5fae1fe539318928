"""Errors of CUDA's runtime, as `kbuild explain` and the reference explain them."""

from __future__ import annotations

import ctypes
import os
import sysconfig
from pathlib import Path

import pytest

from kbuild.cli.main import main
from kbuild.report.runtime_errors import ERRORS, find_errors, render_markdown

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "runtime-errors.md"
HEAD = """# Errors of CUDA's runtime

`kbuild explain 'TEXT OF THE ERROR'` prints these sections.

"""


def test_texts_are_those_of_the_runtime() -> None:
    found = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*/lib/libcudart.so.*"))
    if not found:
        pytest.skip("no wheel of NVIDIA's with libcudart")
    library = ctypes.CDLL(str(found[-1]))
    library.cudaGetErrorString.restype = library.cudaGetErrorName.restype = ctypes.c_char_p
    for error in ERRORS:
        assert library.cudaGetErrorString(error.number).decode() == error.text
        assert library.cudaGetErrorName(error.number).decode() == error.name


@pytest.mark.parametrize("words", ["Invalid Device  function", "98", "cudaErrorInvalidDeviceF"])
def test_errors_are_found(words: str) -> None:
    assert [error.number for error in find_errors(words)] == [98]


def test_command_explains_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "no kernel image is available"]) == 0
    assert "kbuild inspect FILE" in capsys.readouterr().out
    assert main(["explain", "no such thing"]) == 2
    assert "'no such thing' is neither a rule id" in capsys.readouterr().err


def test_page_has_all_errors() -> None:
    text = HEAD + render_markdown(ERRORS)
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
