"""Which links need a library that is built when a program needs it."""

from __future__ import annotations

import pytest

from kbuild.backends.interface.nvcc import ToolkitLayout
from kbuild.nvcc.toolkit import names_built_library

LAYOUT = ToolkitLayout(
    version="13.0.0",
    architecture="80",
    headers=(),
    built_libraries=("libcublas.so", "libcusparse.so"),
)


@pytest.mark.parametrize(
    "word",
    [
        "-lcublas",
        "-l:libcublas.so",
        "/toolkit/lib64/libcublas.so",
        "-Wl,-lcusparse",
        "@words",
        "-Wl,@words",
    ],
)
def test_words_can_name_a_library(word: str) -> None:
    assert names_built_library(("g++", "a.o", word), LAYOUT)


def test_other_links_need_none() -> None:
    words = ("g++", "a.o", "-L/toolkit/lib64", "-lcudart", "-lm", "-o", "program")
    assert not names_built_library(words, LAYOUT)
