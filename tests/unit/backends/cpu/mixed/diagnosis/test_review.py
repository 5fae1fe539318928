"""Which functions can be misused, so that a compiler must say where a text uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu.mixed.diagnosis.review import Reviewer
from kbuild.cxx.unit import Unit
from support.source_edits import preprocess_plainly

DEVICE_CODE = """
__device__ int add(int x) { return x + 1; }
__device__ int twice(int x) { return add(add(x)); }
__global__ void k(int *p) { *p = twice(*p); }
"""


def list_functions(host_code: str) -> set[str]:
    text = preprocess_plainly(DEVICE_CODE + host_code, Path("a.cu"))
    return {function.name for function in Reviewer(Unit(text)).find_device_functions()}


def test_functions_that_only_device_code_calls_need_no_compiler() -> None:
    assert list_functions("int main() { k<<<1, 1>>>(nullptr); }") == set()


@pytest.mark.parametrize(
    ("host_code", "found"),
    [
        ("int main() { k(nullptr); }", {"k"}),
        ("int main() { k<<<1, 1>>>(nullptr); auto f = k; f(nullptr); }", {"k"}),
        ("__device__ void f() { k(nullptr); }", {"k"}),
        ("int main() { return add(1); }", {"add"}),
        ("struct S { int m() { return twice(1); } };", {"twice"}),
        ("void host(int *) {} int main() { host<<<1, 1>>>(nullptr); }", {"host"}),
    ],
)
def test_functions_that_host_code_can_misuse_are_found(host_code: str, found: set[str]) -> None:
    assert list_functions(host_code) == found
