"""Parameter names from sources: matched by signature, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.model import KernelRecord, Param
from kbuild.stages.depfiles import read_dependencies
from kbuild.stages.sources.parameter_names import declare_params


def make_row(display: str, *types: str | None, container: int = 0) -> KernelRecord:
    params = tuple(
        Param(index=index, offset=8 * index, size=8, type=spelled)
        for index, spelled in enumerate(types)
    )
    return KernelRecord(
        handle=display,
        device_name=display,
        display=display,
        linkage="external",
        container=container,
        params=params,
    )


def declare(directory: Path, row: KernelRecord, *texts: str) -> list[tuple[str | None, str | None]]:
    """Complete the row from source texts; return (type, name) of each parameter."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(directory / f"{number}.cu")
        paths[-1].write_text(text)
    (found,) = declare_params((row,), {0: tuple(paths)})
    return [(param.type, param.name) for param in found.params]


def test_names_of_definitions_take_precedence(tmp_path: Path) -> None:
    row = make_row("ns::scale(float*, int)", "float*", "int")
    header = "namespace ns { __global__ void scale(float* p, int); }"
    source = "namespace ns { __global__ void scale(float* values, int n) {} }"
    assert declare(tmp_path, row, header, source) == [("float*", "values"), ("int", "n")]
    assert declare(tmp_path, row, header) == [("float*", "p"), ("int", None)]
    unnamed = "namespace ns { __global__ void scale(float*, int n) {} }"
    assert declare(tmp_path, row, header, unnamed) == [("float*", "p"), ("int", "n")]


def test_overloads_are_matched_by_parameter_types(tmp_path: Path) -> None:
    text = "__global__ void f(const float* x) {}\n__global__ void f(unsigned const* y) {}"
    floats = make_row("f(float const*)", "float const*")
    numbers = make_row("f(unsigned int const*)", "unsigned int const*")
    assert declare(tmp_path, floats, text) == [("float const*", "x")]
    assert declare(tmp_path, numbers, text) == [("unsigned int const*", "y")]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("unsigned n", "unsigned int"),
        ("long unsigned int n", "unsigned long"),
        ("long long n", "long long"),
        ("const int n", "int"),
        ("char* const n", "char*"),
        ("float n[4]", "float*"),
        ("size_t n", "unsigned long"),
        ("T n", "double"),
        ("Step n", "physics::Step"),
    ],
)
def test_different_spellings_of_a_type_match(tmp_path: Path, said: str, found: str) -> None:
    row = make_row(f"k({found})", found)
    assert declare(tmp_path, row, f"__global__ void k({said}) {{}}") == [(found, "n")]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(unsigned n) {}",
        "__global__ void k(int* n) {}",
        "__global__ void k(int n, int m) {}",
        "namespace a { __global__ void k(int n) {} }",
        'extern "C" __global__ void k(int n) {}',
        "#if A\n__global__ void k(int n) {}\n#else\n__global__ void k(int m) {}\n#endif",
        "KERNEL(k, int n)",
    ],
)
def test_parameter_has_no_name_when_declarations_disagree_or_do_not_match(
    tmp_path: Path, text: str
) -> None:
    assert declare(tmp_path, make_row("k(int)", "int"), text) == [("int", None)]


def test_instances_have_the_parameter_names_of_their_template(tmp_path: Path) -> None:
    row = make_row("void scale<float>(int, float*)", "int", "float*")
    text = "template <class T> __global__ void scale(int n, T* values) {}"
    assert declare(tmp_path, row, text) == [("int", "n"), ("float*", "values")]


def test_c_kernels_get_types_from_the_source(tmp_path: Path) -> None:
    row = make_row("k", None, None)
    text = 'extern "C" __global__ void k(int n, const Step* __restrict__ s) {}'
    assert declare(tmp_path, row, text) == [("int", "n"), ("const Step*", "s")]
    inside = f"namespace a {{ {text} }}"
    assert declare(tmp_path, row, inside) == [("int", "n"), (None, "s")]
    assert declare(tmp_path, row, text.replace('extern "C" ', "")) == [(None, None), (None, None)]


def test_each_container_uses_its_own_sources(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.cu").write_text(f"__global__ void k(int n{number}) {{}}")
    rows = tuple(make_row("k(int)", "int", container=number) for number in range(2))
    found = declare_params(rows, {n: (tmp_path / f"{n}.cu",) for n in range(2)})
    assert [row.params[0].name for row in found] == ["n0", "n1"]


def test_missing_files_are_ignored(tmp_path: Path) -> None:
    row = make_row("k(int)", "int")
    assert declare_params((row,), {0: (tmp_path / "gone.cu",)}) == (row,)
    assert read_dependencies(tmp_path / "gone.d") == ()


def test_depfile_can_contain_escaped_characters(tmp_path: Path) -> None:
    depfile = tmp_path / "a.d"
    depfile.write_text("/out/a.json: /src/my\\ kernel.cu \\\n /src/b$$.hpp \\\n  /src/c.hpp\n")
    assert read_dependencies(depfile) == (
        Path("/src/my kernel.cu"),
        Path("/src/b$.hpp"),
        Path("/src/c.hpp"),
    )
