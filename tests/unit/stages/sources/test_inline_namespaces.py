"""Inline namespaces around kernels in preprocessed text."""

from __future__ import annotations

import pytest

from kbuild.stages.sources.inline_namespaces import find_inline_namespaces

TEXTS = {
    "one": ("namespace a { inline namespace v1 { } }", ("a::v1",)),
    "global": ("inline namespace a { namespace v1 { } }", ("a",)),
    "both": ("inline namespace a { __inline__ namespace v1 { } }", ("a", "a::v1")),
    "nested name": ("namespace a::inline v1 { }", ("a::v1",)),
    "nested name in an inline one": (
        "inline namespace a { } namespace a::inline v1 { }",
        ("a", "a::v1"),
    ),
    "attribute": ('namespace a { inline namespace [[deprecated("x")]] v1 { } }', ("a::v1",)),
    "attribute of GNU": (
        'namespace a { inline namespace v1 __attribute__((abi_tag("x"))) { } }',
        ("a::v1",),
    ),
    "opened again": ("namespace a { inline namespace v1 { } namespace v1 { } }", ("a::v1",)),
    "line marker": ('namespace a {\n# 1 "b.hpp"\ninline\n namespace v1\n{ } }', ("a::v1",)),
    "other scope": ("namespace b { inline namespace v1 { } } inline namespace v1 { }", ()),
    "other name": ("namespace a { inline namespace v10 { } }", ()),
    "no inline namespace": ("namespace a { inline void v1() { } namespace v1 { } }", ()),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_namespaces_around_kernels_are_found(text: str, expected: tuple[str, ...]) -> None:
    assert find_inline_namespaces(text.encode(), ("a::v1::k(int*)", "k()")) == expected


def test_namespaces_around_instances_of_templates_are_not_needed() -> None:
    text = b"namespace a { inline namespace v1 { } }"

    assert find_inline_namespaces(text, ("void a::v1::k<int>(int*)",)) == ()
