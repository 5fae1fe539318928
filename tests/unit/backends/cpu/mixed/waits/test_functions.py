"""Which kernels and device functions name operations, and which functions can be divided."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import find_thread_words
from kbuild.backends.cpu.mixed.waits.functions import find_waiting
from kbuild.cxx.unit import Unit

HEADER = """\
inline void __kbuild_block_barrier__ __syncthreads();
int __kbuild_yields__ atomicAdd(int*, int);
# 1 "a.cu"
"""
MEET = "__kbuild_device__ void meet() { __syncthreads(); }\n"


def find(text: str) -> tuple[dict[str, list[str]], set[str]]:
    """Return the words of kernels and functions by their names, and the functions to divide."""
    code = Unit(HEADER + text)
    declarations = q.find_declarations(code)
    found = find_waiting(code, declarations, find_thread_words(code))
    names = {each.start: each.name for each in declarations}
    words = {names[start]: [word.text for word in words] for start, words in found.words.items()}
    return words, set(found.functions)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("__syncthreads();", ["__syncthreads"]),
        ("meet();", ["meet"]),
        ("n::meet(); ::meet();", ["meet", "meet"]),
        ("atomicAdd(p, 1); meet();", ["meet"]),
        ("atomicAdd(p, 1);", None),  # alone, it needs no division
        ("p[0] = 1;", None),
        ("timer.meet(); timer->meet();", None),
    ],
)
def test_words_of_kernels(body: str, words: list[str] | None) -> None:
    found, functions = find(f"{MEET}__kbuild_global__ void k(int* p) {{ {body} }}")

    assert found.get("k") == words
    assert functions == {"meet"}


def test_functions_that_call_functions_can_be_divided() -> None:
    outer = "namespace n { __kbuild_device__ void outer() { meet(); } }\n"
    words, functions = find(f"{MEET}{outer}__kbuild_global__ void k() {{ n::outer(); }}")

    assert words == {"meet": ["__syncthreads"], "outer": ["meet"], "k": ["outer"]}
    assert functions == {"meet", "outer"}


def test_functions_with_groups_can_be_divided() -> None:
    function = "__kbuild_device__ void f(cg::thread_block block) { block.sync(); }\n"

    assert find(f"{function}__kbuild_global__ void k() {{ f(b); }}")[0] == {"k": ["f"]}


@pytest.mark.parametrize(
    "other",
    [
        "struct meet {};",
        "using n::meet;",
        "Timer meet{1};",
    ],
)
def test_names_of_other_entities_are_left_to_the_object(other: str) -> None:
    words, functions = find(f"{MEET}{other} __kbuild_global__ void k() {{ meet(); }}")

    assert "k" not in words
    assert functions == set()


def test_members_are_not_divided() -> None:
    text = "struct S { __kbuild_device__ void meet() { __syncthreads(); } };"

    assert find(f"{text} __kbuild_global__ void k() {{ meet(); }}")[1] == set()


def test_variables_of_other_functions_hide_nothing() -> None:
    other = "int main() { int meet = 1; struct { void meet(); } object; }"

    assert find(f"{MEET}{other} __kbuild_global__ void k() {{ meet(); }}")[1] == {"meet"}
