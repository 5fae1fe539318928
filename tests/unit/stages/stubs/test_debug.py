"""Debug stubs of kernels whose parameter types the stub unit cannot name."""

from __future__ import annotations

import pytest

from kbuild.model import KernelRecord, Param, TargetRecord
from kbuild.stages.stubs.debug import describe_stubs, list_notes, uses_vector_types


def make_table(*types: str | None) -> TargetRecord:
    params = tuple(
        Param(index=index, size=16, offset=16 * index, type=spelled, name=f"p{index}")
        for index, spelled in enumerate(types)
    )
    kernel = KernelRecord(
        handle="k",
        device_name="_Z1kv",
        display="k(...)",
        linkage="external",
        container=0,
        params=params,
        stub="__device_stub__k",
    )
    return TargetRecord(
        version="1",
        target="t",
        backend="cpu",
        visibility="default",
        kernels=(kernel,),
        containers=(),
        variables=(),
        compilers=(),
    )


@pytest.mark.parametrize(
    "spelled",
    [
        None,
        "Body",
        "ns::Body const",
        "(anonymous namespace)::Body",
        "{lambda(int)#1}",
        "int Body::*",
    ],
)
def test_a_stub_with_an_unknown_type_declares_no_parameters(spelled: str | None) -> None:
    (row,) = describe_stubs(make_table("int", spelled), has_headers=False)

    assert row["is_opaque"]
    assert row["declarator"] == "__device_stub__k()"
    assert row["types"] == ""
    assert [param["type"] for param in row["params"]] == ["int", "kbuild_opaque<16>"]
    assert [param["size"] for param in row["params"]] == [None, None]


@pytest.mark.parametrize(
    "spelled", ["Body*", "Body const*", "{lambda()#1}*", "a::Body* __restrict__"]
)
def test_an_unknown_pointer_is_passed_like_any_other(spelled: str) -> None:
    table = make_table("int", spelled)

    (row,) = describe_stubs(table, has_headers=False)

    assert not row["is_opaque"]
    assert row["declarator"] == "__device_stub__k(int p0, void * p1)"
    assert f"'{spelled}' of 'k(...)'" in list_notes(table, has_headers=False)[0]


@pytest.mark.parametrize(
    ("spelled", "declared"),
    [
        ("int&", "int* p0"),
        ("float4 const&", "float4 const* p0"),
        ("int const (&) [4]", "kbuild_parameter<int const (*) [4]>::__type p0"),
        ("void (&)(int&)", "kbuild_parameter<void (*)(int&)>::__type p0"),
        ("Body const&", "void * p0"),
    ],
)
def test_references_are_passed_as_pointers(spelled: str, declared: str) -> None:
    (row,) = describe_stubs(make_table(spelled), has_headers=False)

    assert row["declarator"] == f"__device_stub__k({declared})"


@pytest.mark.parametrize("spelled", ["float4", "dim3", "double4_32a", "ulonglong4_16a"])
def test_vector_types_are_known(spelled: str) -> None:
    table = make_table(spelled, f"{spelled} const*")

    (row,) = describe_stubs(table, has_headers=False)

    assert row["declarator"] == f"__device_stub__k({spelled} p0, {spelled} const* p1)"
    assert uses_vector_types(table.kernels)


def test_headers_make_types_known() -> None:
    table = make_table("Body", "Body*")

    (row,) = describe_stubs(table, has_headers=True)

    assert row["declarator"] == "__device_stub__k(Body p0, Body* p1)"
    assert row["params"][0]["size"] == 16
    assert list_notes(table, has_headers=True) == ()


def test_a_note_counts_what_it_does_not_list() -> None:
    (note,) = list_notes(make_table("A", "B", "C", "D", "E", "int"), has_headers=False)

    assert "'A' of 'k(...)', 'B' of 'k(...)', 'C' of 'k(...)', and 2 more; list the headers" in note
