"""Names of debug stubs against what a compiler makes of the prefixed identifier."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.demangle.stub_names import base_identifier, name_stub

SOURCE = """
namespace a {{ template <class T> struct a {{}}; struct b {{}}; }}
template <class T> void {p}axpy(T, T*) {{}}
template void {p}axpy<float>(float, float*);
template <int N> void {p}fixed(int (*)[N]) {{}}
template void {p}fixed<3>(int (*)[3]);
namespace run {{
void {p}run(a::b, a::a<int>) {{}}
namespace run2 {{ void {p}run(int (*)(int), const char*) {{}} }}
struct box {{}};
template <class T> void {p}apply(T, box) {{}}
template void {p}apply<a::a<a::b>>(a::a<a::b>, box);
}}
extern "C" void {p}plain(int) {{}}
__attribute__((used)) static void {p}hidden(unsigned) {{}}
namespace {{ __attribute__((used)) void {p}nameless(long) {{}} }}
"""


def symbols(directory: Path, prefix: str) -> list[str]:
    source = directory / f"source{prefix}.cpp"
    source.write_text(SOURCE.format(p=prefix))
    output = source.with_suffix(".o")
    subprocess.run(["g++", "-c", source, "-o", output], check=True)
    listing = subprocess.run(
        ["nm", "--no-sort", output], check=True, capture_output=True, text=True
    ).stdout
    return [line.split()[-1] for line in listing.splitlines() if line.split()[-2] in "TtW"]


def test_stubs_are_named_as_a_compiler_names_them(tmp_path: Path) -> None:
    kernels = symbols(tmp_path, "")

    assert len(kernels) == 8
    assert [name_stub(kernel) for kernel in kernels] == symbols(tmp_path, "__device_stub__")


@pytest.mark.parametrize(
    ("qualified", "expected"),
    [("f", "f"), ("ns::f", "f"), ("ns::f<a::b<int> >", "f"), ("ns::t<int>::f", "f")],
)
def test_base_identifier(qualified: str, expected: str) -> None:
    assert base_identifier(qualified) == expected
