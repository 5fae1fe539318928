"""Functions with the names of kernels get siblings, so that launches see all overloads."""

from __future__ import annotations

import pytest

from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.launches import find_launches
from kbuild.cxx.model import HostText
from kbuild.cxx.rewriting.rewrite import rewrite
from kbuild.cxx.unit import Unit

KERNEL = "__kbuild_global__ void k(int* p, int n);"
CONFIGURATION = "const ::kbuild::chevron::configuration& kbuild_c"


def list_mirrors(text: str) -> list[str]:
    code = Unit(text)
    found = HostText(kernels=find_kernels(code), launches=find_launches(code))
    lines = rewrite(code, found, "m").text.split("\n")
    return [line for line in lines if "is a function, which has no launch" in line]


@pytest.mark.parametrize("declaration", ["void k(int*, int);", "void k(int* const q, int m);"])
def test_a_kernel_without_its_qualifier_is_no_function(declaration: str) -> None:
    assert not list_mirrors(f"{KERNEL} {declaration}")
    assert not list_mirrors(f"{KERNEL} class A {{ friend {declaration} }};")
    assert list_mirrors(f"{KERNEL} template <class T> {declaration}")


@pytest.mark.parametrize(
    ("declaration", "head", "end"),
    [
        ("void k(int*) { }", "void", "int*) ;"),
        ("static float k(void);", "static float", ") ;"),
        (
            "template <class T> auto k(T x) noexcept -> T { return x; }",
            "auto",
            "T x) noexcept -> T;",
        ),
        ("__kbuild_device__ int k(int x = 3);", "int", "int x = 3) ;"),
        ("void k(char) = delete;", "void", "char) ;"),
        ('extern "C" void k(long);', "void", "long) ;"),
    ],
)
def test_a_function_gets_a_sibling(declaration: str, head: str, end: str) -> None:
    (mirror,) = list_mirrors(f"{declaration} {KERNEL}")

    comma = "" if end.startswith(")") else ", "
    assert mirror.endswith(f"))) {head} k__kbuild_m({CONFIGURATION}{comma}{end}")


@pytest.mark.parametrize(
    "text",
    [
        "struct S { void k(int*); };",
        "void f() { void k(int*); }",
        "void S::k(int*) { }",
        "int k;",
        '# 1 "system.h" 3\nvoid k(char*);\n# 1 "a.cu"\n',
    ],
)
def test_other_names_get_none(text: str) -> None:
    assert list_mirrors(f"{text} {KERNEL}") == []


def test_a_function_does_not_hide_the_kernel_that_it_launches() -> None:
    text = f"{KERNEL} void k(int* p, int n, int block) {{ k<<<1, block>>>(p, n); }}"
    code = Unit(text)
    found = HostText(kernels=find_kernels(code), launches=find_launches(code))

    assert "k__kbuild_m(kbuild_c0, p, n);" in rewrite(code, found, "m").text
