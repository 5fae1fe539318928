"""Which subscripts are evaluated once for consecutive threads."""

from __future__ import annotations

import re

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.kernel_text import Split, edit_kernels
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

HEADER = "inline void __kbuild_block_barrier__ __syncthreads();\n"
DECLARED = (
    "__kbuild_shared__ float s[9], m[9][9]; const float* row = p + n; "
    "const int t = threadIdx.x, x = threadIdx.x + 1, twice = 2 * threadIdx.x; int kept = p[t]; "
)


def list_subscripts(statements: str) -> list[str]:
    """Return the subscripts in a region that are evaluated once, by what they spell."""
    code = Unit(
        f'# 1 "h.h"\n{HEADER}# 1 "a.cu"\n'
        f"__kbuild_global__ void k(float* p, int n, S structure)\n"
        f"{{ {DECLARED} __syncthreads();\n"
        f"{statements} __syncthreads(); p[0] += kept; }}\n"
    )
    found = edit_kernels(code, q.find_declarations(code), foreign=frozenset(), split=Split())
    assert not found.obstacles
    text = apply_edits(code.text, found.edits, (0, len(code.text)))
    _, region, _ = text.split("__syncthreads::finish(")
    return re.findall(
        r"add\(\d+, __kbuild_part__, __kbuild_function__ \{.*?return (.*?); \}\)", region
    )


@pytest.mark.parametrize(
    ("statements", "subscripts"),
    [
        ("p[x] = 1;", ["x"]),
        ("p[t] = p[t + n];", ["t + n"]),
        ("p[x] = s[x] + m[3][x] + row[x];", ["x"]),
        ("p[(n + threadIdx.y) * n + threadIdx.x] = 1;", ["(n + threadIdx.y) * n + threadIdx.x"]),
        (
            "p[blockIdx.x * blockDim.x + threadIdx.x] = 1;",
            ["blockIdx.x * blockDim.x + threadIdx.x"],
        ),
        ("p[int(threadIdx.x) - 1] = 1;", ["int(threadIdx.x) - 1"]),
        ("if (n > 3) p[x] = 1; else s[x + 1] = 2;", ["x", "x + 1"]),
        ("for (int k = 0; k < n; ++k) p[x] += s[x + k];", ["x"]),
        ("if (t < n) p[x] = 1;", ["x"]),
        ("{ const int i = x + 1; p[i] = s[x]; }", ["x"]),
        # The index itself, and what is no index.
        ("p[threadIdx.x] = 1;", []),
        ("p[0] = p[n] + p[threadIdx.y];", []),
        ("p[twice] = p[2 * x] + p[n - x] + p[x * n] + p[x % 3];", []),
        ("p[kept + x] = 1;", []),
        ("p[x + n / 2] = 1;", []),
        ("p[x + n++] = 1;", []),
        ("p[int(p[x])] = 1;", ["x"]),
        ("p[x] = structure.p[x] + N::p[x + 1] + structure[x] + (p + 1)[x];", ["x", "x + 1"]),
        # Names in inner blocks can mean something else.
        ("{ const int x = n; p[x] = 1; }", []),
        ("{ [&] { p[x] = 1; }(); }", []),
        ("if (n) [&](int x) { p[x] = 1; }(n);", []),
        ("{ auto f = n ? [](int x) { return x; } : nullptr; p[x] = 1; }", []),
        ("{ auto [x, y] = structure; p[x] = 1; }", []),
        ("for (auto& [x, y] : structure) p[x] = 1;", []),
        ("for (int x : structure) p[x] = 1;", []),
        ("if (int x = n; x) p[x] = 1;", []),
        ("if (int x = n) p[x] = 1;", []),
        ("for (int y = 0, x = 0; x < n; ++x) p[x] = 1;", []),
        ("p[x] = ({ int x = n; p[x]; });", []),
        ("{ struct T { int p; }; p[x] = 1; }", []),
        ("{ enum { x }; p[x] = 1; }", []),
        # One thread.
        ("if (threadIdx.x == 0) p[x] = 1;", []),
    ],
)
def test_subscripts(statements: str, subscripts: list[str]) -> None:
    assert list_subscripts(statements) == subscripts
