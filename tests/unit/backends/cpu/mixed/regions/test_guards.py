"""Which conditions find their threads without trying all of them."""

from __future__ import annotations

import re

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.kernel_text import Split, edit_kernels
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

HEADER = "inline void __kbuild_block_barrier__ __syncthreads();\n"
DECLARED = (
    "const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x, own = p[t]; "
    "const int twice = 2 * threadIdx.x, lane = t & 0x1F, byte = char(t & 31);"
)


def list_guards(condition: str) -> list[str]:
    """Return the kinds of the guards of a condition."""
    code = Unit(
        f'# 1 "h.h"\n{HEADER}# 1 "a.cu"\n'
        f"__kbuild_global__ void k(int* p, int n, int m)\n"
        f"{{ {DECLARED} __syncthreads();\n"
        f"if ({condition}) p[i] = n; __syncthreads(); p[0] += own; }}\n"
    )
    found = edit_kernels(code, q.find_declarations(code), split=Split())
    assert not found.obstacles
    text = apply_edits(code.text, found.edits, (0, len(code.text)))
    return re.findall(r"regions::guard_(\w+)\(", text)


@pytest.mark.parametrize(
    ("condition", "kinds"),
    [
        ("threadIdx.x < n", ["below"]),
        ("t <= n", ["below"]),
        ("n > t", ["below"]),
        ("n <= i", ["from"]),
        ("i >= n", ["from"]),
        ("0 == threadIdx.x", ["at"]),
        ("t + m < n", ["below"]),
        ("m - 1 + (t - n) == 3", ["at"]),
        ("(i) < n", ["below"]),
        ("int(threadIdx.x) - 1 < n", ["below"]),
        ("(long)t < n", ["below"]),
        ("threadIdx.y < n", ["row"]),
        ("threadIdx.x % 32 == 0", ["rest"]),
        ("threadIdx.y == t % 32", ["rest"]),
        ("(t & 31) == 0", ["bits"]),
        ("lane == 0 && i < n", ["bits", "below"]),
        ("(i + 1) % 0x20 == n", ["rest"]),
        ("n > 3", ["row"]),
        ("t < n && t + m < 40", ["below", "below"]),
        ("(n > 0) && (t < 64 / n) && own > 3", ["row", "below"]),
        ("t >= 1 && own > 3 && t < n", ["from"]),
    ],
)
def test_comparisons_with_an_index_are_guards(condition: str, kinds: list[str]) -> None:
    assert list_guards(condition) == kinds


@pytest.mark.parametrize(
    "condition",
    [
        "t < n || i < n",
        "t % 2 == 0",
        "(t & 7) == 0",
        "t % 32 + 1 == 0",
        "t & 31 == 0",
        "t % n == 0",
        "t / 32 == 0",
        "t % 32 == lane",
        "byte == 0",
        "n - t < 3",
        "twice < n",
        "t + t < n",
        "own < n",
        "t < own",
        "p[0] < n",
        "t != n",
        "!(t < n)",
        "t < n ? n : m",
        "t < n, n",
        "(t & 1) < n",
        "-t < n",
        "n - -t < n",
        "n * +t < n",
        "static_cast<long>(i) < n",
        "(t + n & 1) < m",
        "(t + n ^ 2) < m",
        "(n | t + m) < n",
        "(t + n << 1) < m",
        "t == n & m",
        "m ^ n == t",
        "t < n | m",
    ],
)
def test_other_conditions_are_tried_for_each_thread(condition: str) -> None:
    assert list_guards(condition) == []
