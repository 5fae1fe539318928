"""Calls of cuBLAS, cuSPARSE, and cuSOLVER on the CPU; test_mathlibs.py has slow tests of them."""

from __future__ import annotations

import importlib.util

import pytest

from support.commands import PROJECTS, run_kbuild

LIBRARIES = ("-l", "cublas", "-l", "cusolver", "-l", "cusparse")

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("scipy_openblas64") is None, reason="scipy-openblas64 is missing"
)


def test_calls_are_operations_of_streams() -> None:
    source = PROJECTS / "mathlibs" / "order.cu"
    done = run_kbuild("run", "--backend", "cpu", *LIBRARIES, source)
    assert done.returncode == 0, done.stdout + done.stderr
