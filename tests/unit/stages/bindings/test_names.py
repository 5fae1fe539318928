"""Readable names of kernels and parameters."""

from __future__ import annotations

import pytest

from kbuild.model import KernelRecord
from kbuild.stages.bindings.names import make_unique, name_kernels


def make_kernels(*displays: str) -> list[KernelRecord]:
    return [
        KernelRecord(
            handle=f"h{i}", device_name=f"h{i}", display=display, linkage="external", container=0,
            params=(),
        )
        for i, display in enumerate(displays)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("displays", "expected"),
    [
        (("plain", "ns::scale(float*, float, int)"), ("plain", "ns_scale")),
        (("void axpy<float>(float, float*)",), ("axpy",)),
        (("void t<int>(int)", "void t<float>(int)"), ("t_int", "t_float")),
        (("over(int)", "over(unsigned int)"), ("over_int", "over_uint")),
        (("f(float*)", "f(float const*)"), ("f_float_ptr", "f_float_ptr_2")),
        (("(anonymous namespace)::k(int)",), ("anonymous_namespace_k",)),
    ],
)
def test_names_are_as_short_as_possible(
    displays: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert name_kernels(make_kernels(*displays)) == expected


def test_unique_names() -> None:
    assert make_unique(("a", "a", "b", "A"), {"b"}) == ("a", "a_2", "b_2", "A")
    assert make_unique(("a", "A"), ignores_case=True) == ("a", "A_2")
    assert make_unique(("abcd", "abce"), longest=3) == ("abc", "a_2")
    assert make_unique(("a_2", "a", "a")) == ("a_2", "a", "a_3")
