"""Functions of the C library that checked host texts define themselves."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.qualifiers import define_host_checks
from kbuild.cxx.unit import read_unit


def read_checks(text: str) -> str:
    return "".join(edit.text for edit in define_host_checks(read_unit(text)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('extern "C" unsigned long strlen(const char *p) { return 0; }', "strlen"),
        (
            'extern "C" { int strcmp(const char *a, const char *b) noexcept { return 0; } }',
            "strcmp",
        ),
        ("void *memcpy(void *a, const void *b, unsigned long n) { return a; }", "memcpy"),
    ],
)
def test_own_functions_keep_their_names(text: str, name: str) -> None:
    assert f"({name}" not in read_checks(text).replace(f"__tsan_{name}", "")


@pytest.mark.parametrize(
    "text",
    [
        'extern "C" unsigned long strlen(const char *p);',
        "namespace own { unsigned long strlen(const char *p) { return 0; } }",
        "struct text { unsigned long strlen(const char *p) { return 0; } };",
        "int main() { if (strlen(0)) { return 1; } }",
        "extern inline __attribute__((gnu_inline)) char *strlen(char *p) { return p; }",
    ],
)
def test_other_texts_call_checked_functions(text: str) -> None:
    assert "KBUILD_REPLACE(strlen, strlen)" in read_checks(text)
