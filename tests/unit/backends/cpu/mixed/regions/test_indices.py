"""Which subscripts are evaluated once for consecutive threads, or are known."""

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
    "const int t = threadIdx.x, v = n + threadIdx.x, twice = 2 * threadIdx.x; int kept = p[t]; "
    "const unsigned u = threadIdx.x - 2; const int w = 1 + u; const short h = threadIdx.x + 1; "
    "const long int l = threadIdx.x - 1; "
)


def write_region(statements: str) -> str:
    """Return a region with some statements."""
    code = Unit(
        f'# 1 "h.h"\n{HEADER}# 1 "a.cu"\n'
        f"__kbuild_global__ void k(float* p, int n, S structure)\n"
        f"{{ {DECLARED} __syncthreads();\n"
        f"{statements} __syncthreads(); p[0] += kept; }}\n"
    )
    found = edit_kernels(code, q.find_declarations(code), split=Split())
    assert not found.obstacles
    text = apply_edits(code.text, found.edits, (0, len(code.text)))
    _, region, _ = text.split("__syncthreads::finish(")
    return region


def list_subscripts(statements: str) -> list[str]:
    """Return the subscripts in a region that are evaluated once, by what they spell."""
    added = r"__add\(\d+, __kbuild_part__.*?return \S*index_of<.*?>\((.*?)\); \}\)"
    return re.findall(added, write_region(statements))


@pytest.mark.parametrize(
    ("statements", "subscripts"),
    [
        ("p[v] = 1;", ["v"]),
        ("p[t] = p[t + n];", ["t + n"]),
        ("p[v] = s[v] + m[3][v] + row[v];", ["v"]),
        ("p[(n + threadIdx.y) * n + threadIdx.x] = 1;", ["(n + threadIdx.y) * n + threadIdx.x"]),
        (
            "p[blockIdx.x * blockDim.x + threadIdx.x] = 1;",
            ["blockIdx.x * blockDim.x + threadIdx.x"],
        ),
        ("p[threadIdx.x - 1] = 1;", ["threadIdx.x - 1"]),
        ("if (n > 3) p[v] = 1; else s[v + 1] = 2;", ["v", "v + 1"]),
        ("for (int k = 0; k < n; ++k) p[v] += s[v + k];", ["v"]),
        ("if (t < n) p[v] = 1;", ["v"]),
        ("{ const int i = v + 1; p[i] = s[v]; }", ["v"]),
        ("p[M + t] = 1; const int M = n; p[M + t] = s[M + t];", ["M + t", "M + t"]),
        # The thread's index itself, and expressions that do not grow by one.
        ("p[threadIdx.x] = 1;", []),
        ("p[0] = p[n] + p[threadIdx.y];", []),
        ("p[twice] = p[2 * v] + p[n - v] + p[v * n] + p[v % 3];", []),
        ("p[kept + v] = 1;", []),
        ("p[v + n / 2] = 1;", []),
        ("p[v + n ^ 2] = p[v + n & n] + p[n | v + 1] + p[v + 1 << 1];", []),
        ("p[v + n < n] = p[n == v + 1] + p[n ? v : v + 1] + p[n, v + 1];", []),
        ("p[(v + n & 1) + n] = 1;", []),
        ("p[v + n++] = 1;", []),
        ("p[int(p[v])] = 1;", ["v"]),
        ("p[v] = structure.p[v] + N::p[v + 1] + structure[v] + (p + 1)[v];", ["v", "v + 1"]),
        # Names in inner blocks can mean something else.
        ("{ const int v = n; p[v] = 1; }", []),
        ("{ [&] { p[v] = 1; }(); }", []),
        ("if (n) [&](int v) { p[v] = 1; }(n);", []),
        ("{ auto f = n ? [](int v) { return v; } : nullptr; p[v] = 1; }", []),
        ("{ auto [v, y] = structure; p[v] = 1; }", []),
        ("for (auto& [v, y] : structure) p[v] = 1;", []),
        ("for (int v : structure) p[v] = 1;", []),
        ("if (int v = n; v) p[v] = 1;", []),
        ("if (int v = n) p[v] = 1;", []),
        ("for (int y = 0, v = 0; v < n; ++v) p[v] = 1;", []),
        ("p[v] = ({ int v = n; p[v]; });", []),
        ("{ struct T { int p; }; p[v] = 1; }", []),
        ("{ enum { v }; p[v] = 1; }", []),
        # One thread.
        ("if (threadIdx.x == 0) p[v] = 1;", []),
    ],
)
def test_subscripts(statements: str, subscripts: list[str]) -> None:
    assert list_subscripts(statements) == subscripts


@pytest.mark.parametrize(
    ("subscript", "offset"),
    [
        ("t + 1", "1"),
        ("t - 1", "-1"),
        ("2 + t - 5", "-3"),
        ("w", "-1"),
        ("w + 1", "0"),
        ("int(threadIdx.x) - 1", "-1"),
        # The sum can wrap around, or its type is not known.
        ("threadIdx.x - 1", None),
        ("t - 1u", None),
        ("u + 1", None),
        ("h + 1", None),
        ("l + 1", None),
        ("t + 1L", None),
        ("t + 010", None),
        ("t + n", None),
        ("t - t", None),
        ("1 - t", None),
        ("t + 99999999", None),
    ],
)
def test_numbers(subscript: str, offset: str | None) -> None:
    region = write_region(f"p[{subscript}] = 1;")

    assert re.findall(r"p\[static_cast<typename \S+>\(__kbuild_x__ \+ (-?\d+)\)\]", region) == [
        offset
    ] * (offset is not None)


def test_rows_evaluate_only_some_subscripts() -> None:
    subscripts = [f"v + {number}" for number in range(12)]

    assert list_subscripts("".join(f"p[{each}] = 1;" for each in subscripts)) == subscripts[:8]
