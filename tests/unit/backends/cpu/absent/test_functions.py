"""Tests for what kbuild says about functions of libraries that the backend has in part."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu import build


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("cusolverDnXsyevdx", "cuSOLVER"),
        ("cusparseSpGEMM_compute", "cuSPARSE"),
        ("cublasHSHgemvBatched", "cuBLAS"),
        ("cufftXtSetCallback", "cuFFT"),
        ("CUFFT_CB_LD_COMPLEX", "cuFFT"),
        ("curandGenerateBinomial", "cuRAND"),
        ("nvmlEventSetCreate", "NVML"),
    ],
)
def test_functions_of_a_library(name: str, library: str) -> None:
    logs = (
        f"a.cu:4:1: error: \u2018{name}\u2019 was not declared in this scope; did\n",
        f"a.cu:4:1: error: use of undeclared identifier '{name}'\n" * 2,
    )
    for log in logs:
        fix = build.read_log(log).fix
        assert fix.startswith(f"unknown names of {library}: '{name}'; include its header; if")


@pytest.mark.parametrize("name", ["mycublas", "cudaMaloc", "cublax", "x"])
def test_other_names(name: str) -> None:
    assert not build.read_log(f"a.cu:4:1: error: '{name}' was not declared in this scope\n").fix
