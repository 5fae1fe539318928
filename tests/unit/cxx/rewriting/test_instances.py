"""Explicit instances of kernel templates are marked for the definitions of handles."""

from __future__ import annotations

import pytest

from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.model import HostText
from kbuild.cxx.rewriting.instances import rewrite_host_text
from kbuild.cxx.unit import Unit

TEMPLATE = "template <class T, int N> __kbuild_global__ void k(T* p, T v);"
ARGUMENTS = "(int*, int)"
QUALIFIED = f"template __kbuild_global__ void b::k<int, 3>{ARGUMENTS};"
POINTER = f"void (*){ARGUMENTS}"
ALIAS = "kbuild_instance_m_0 = ::kbuild::chevron::instance"


def rewrite_text(text: str) -> str:
    code = Unit(text)
    found = HostText(kernels=find_kernels(code), launches=())
    return rewrite_host_text(code, found, "m").text


@pytest.mark.parametrize(
    ("text", "alias", "path"),
    [
        (
            f"{TEMPLATE} template __kbuild_global__ void k<int, 3>(int* p, int v);",
            f"using kbuild_instance_m_0 = ::kbuild::chevron::instance<{POINTER}, k<int, 3>>;",
            "::kbuild_instance_m_0",
        ),
        (
            f"namespace a {{ {TEMPLATE} template __kbuild_global__ void k<int, 3>(int*, int); }}",
            f"using kbuild_instance_m_0 = ::kbuild::chevron::instance<{POINTER}, k<int, 3>>;",
            "::a::kbuild_instance_m_0",
        ),
        (
            f"namespace a {{ {TEMPLATE} }} {QUALIFIED.replace('b::', 'a::')}",
            f"namespace a {{ using {ALIAS}<{POINTER}, k<int, 3>>; }}",
            "::a::kbuild_instance_m_0",
        ),
        (
            f"namespace a {{ {TEMPLATE} }} namespace b = a; {QUALIFIED}",
            f"using kbuild_instance_m_0 = ::kbuild::chevron::instance<{POINTER}, b::k<int, 3>>;",
            "::kbuild_instance_m_0",
        ),
    ],
)
def test_an_explicit_instance_is_marked(text: str, alias: str, path: str) -> None:
    rewritten = rewrite_text(text)

    assert f"\n{alias}\n" in rewritten
    assert f"KBUILD_OPERAND({path}::__value)" in rewritten


@pytest.mark.parametrize(
    "text",
    [
        TEMPLATE,
        f"{TEMPLATE} extern template __kbuild_global__ void k<int, 3>(int*, int);",
        f"{TEMPLATE} template <> __kbuild_global__ void k<int, 3>(int*, int);",
    ],
)
def test_other_declarations_are_not_marked(text: str) -> None:
    rewritten = rewrite_text(text)

    assert "kbuild_instance_m" not in rewritten
    assert "void kbuild_mark_instances()\n{\n}" in rewritten
