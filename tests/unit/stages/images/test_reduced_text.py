"""The part of a preprocessed text that can change device code."""

from __future__ import annotations

import pytest

from support.device_texts import reduce

PROGRAM = """\
#include <cstdio>
#include "common.h"
template <class T> __global__ void fill(T *x, T value) { x[threadIdx.x] = both(value); }
__global__ void plain(int *p) { *p = 1; }
static int twice(int x) { return 2 * x; }
int main(int argc, char **argv)
{
    float *x = nullptr;
    const char *text = "a  b";
    if (argc > twice(2)) printf("%s\\n", text);
    plain<<<1, 1>>>(nullptr);
    fill<<<1, 32>>>(x, 1.0f);
    return 0;
}
"""
HEADER = """\
#pragma once
template <class T> __host__ __device__ T both(T x) { return x; }
inline int help(int x) { return x + 1; }
struct Shape { int size; int area() const; };
"""


def test_program_is_reduced() -> None:
    text = reduce(PROGRAM, common=HEADER)

    assert "twice" in text
    assert "2 * x" not in text
    assert "x + 1" not in text
    assert "* p = 1" in text or "*p = 1" in text
    assert "return x;" in text
    assert "fill" in text.partition("main")[2]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 * x", "3 * x"),
        ('"a  b"', '"a b"'),
        ("#include <cstdio>\n", "#include <cstdio>\n\n// A comment.\n"),
        ("    return 0;\n", "    puts(text);\n    return 1;\n"),
        ("plain<<<1, 1>>>(nullptr);", "plain<<<2, 1>>>(nullptr);"),
        ("fill<<<1, 32>>>(x, 1.0f)", "fill<<<2, 16>>>(x, 1.0f)"),
    ],
)
def test_host_edits_change_nothing(old: str, new: str) -> None:
    assert old in PROGRAM

    assert reduce(PROGRAM.replace(old, new), common=HEADER) == reduce(PROGRAM, common=HEADER)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("*p = 1", "*p = 2"),
        ("both(value)", "value"),
        ("1.0f", "1.0"),  # another instance
        ("float *x", "double *x"),
        ("<cstdio>", "<cassert>"),
        ("static int twice", "__device__ static int twice"),
        ("void plain(int *p)", "void plain(const int *p)"),
        ("template <class T> __global__", "#pragma unroll\ntemplate <class T> __global__"),
        ("static int twice", '#include "more.h"\nstatic int twice'),
    ],
)
def test_device_edits_change_the_text(old: str, new: str) -> None:
    assert old in PROGRAM
    more = "struct More;\n"

    changed = reduce(PROGRAM.replace(old, new), common=HEADER, more=more)
    assert changed != reduce(PROGRAM, common=HEADER, more=more)


def test_a_header_of_both_passes_changes_the_text() -> None:
    changed = HEADER.replace("return x;", "return -x;")
    assert reduce(PROGRAM, common=changed) != reduce(PROGRAM, common=HEADER)


def test_the_order_of_headers_counts() -> None:
    first = PROGRAM.replace("#include <cstdio>\n", "#include <cstdio>\nstruct S;\n")
    second = PROGRAM.replace("#include <cstdio>\n", "struct S;\n#include <cstdio>\n")

    assert reduce(first, common=HEADER) != reduce(second, common=HEADER)


def test_lines_of_device_code_count_if_it_has_them() -> None:
    above = PROGRAM.replace("template <class T> __global__", "\ntemplate <class T> __global__")
    inside = PROGRAM.replace("2 * x", "3 * x")

    assert reduce(above, common=HEADER) == reduce(PROGRAM, common=HEADER)
    text = reduce(PROGRAM, common=HEADER, has_lines=True)
    assert reduce(above, common=HEADER, has_lines=True) != text
    assert reduce(inside, common=HEADER, has_lines=True) == text


def test_a_text_that_cannot_be_read_is_kept() -> None:
    broken = PROGRAM + "void f() { ("
    changed = broken.replace("2 * x", "3 * x")

    assert reduce(broken, common=HEADER) != reduce(changed, common=HEADER)
