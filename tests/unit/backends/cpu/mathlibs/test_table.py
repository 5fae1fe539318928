"""The table of cuBLAS's functions, and what is generated from it."""

from __future__ import annotations

import runpy

import pytest

from kbuild.backends.cpu.mathlibs.table import find_sources, read_table
from kbuild.backends.cpu.mathlibs.write import (
    write_declarations,
    write_functions,
    write_names,
    write_templates,
)
from support.commands import ROOT

ROWS = read_table()


def find(key: str):  # type: ignore[no-untyped-def]  # noqa: ANN201
    return next(row for row in ROWS if row.key == key)


def test_generated_files_are_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "update_mathlibs.py"))
    for path, text in script["list_files"]().items():
        assert path.read_text("utf-8") == text, "run `python scripts/update_mathlibs.py`"


def test_a_row_is_a_function_of_nvidia_for_each_type() -> None:
    declarations = write_declarations(ROWS)
    assert (
        "cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, "
        "int n, const float* alpha, const float* A, int lda, const float* x, int incx, "
        "const float* beta, float* y, int incy);\n"
    ) in declarations
    assert (
        "cublasStatus_t cublasZgemmStridedBatched_64(cublasHandle_t handle, "
        "cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, "
        "const cuDoubleComplex* alpha, const cuDoubleComplex* A, int64_t lda, "
        "long long int strideA, const cuDoubleComplex* B, int64_t ldb, long long int strideB, "
        "const cuDoubleComplex* beta, cuDoubleComplex* C, int64_t ldc, long long int strideC, "
        "int64_t batchCount);\n"
    ) in declarations
    assert "cublasStatus_t cublasCsscal_v2(cublasHandle_t handle, int n, const float* alpha, " in (
        declarations
    )
    assert "cublasSrotg_v2_64" not in declarations


def test_programs_use_names_without_a_version() -> None:
    names = write_names(ROWS)
    assert "#define cublasSgemm cublasSgemm_v2\n" in names
    assert "#define cublasSgemm_64 cublasSgemm_v2_64\n" in names
    assert "cublasSgemmBatched" not in names


def test_arguments_are_those_of_the_library_unless_the_row_says_otherwise() -> None:
    assert find("gemv").call == (
        "BLAS({p}gemv)(CblasColMajor, to_blas(trans), m, n, pass(alpha), A, lda, x, incx, "
        "pass(beta), y, incy)"
    )
    assert find("axpy").call == "BLAS({p}axpy)(n, pass(alpha), x, incx, y, incy)"


def test_a_function_checks_its_arguments_and_its_memory() -> None:
    (row,) = (row for row in ROWS if row.key == "trsm")
    text = write_templates((row,))
    assert "call.require(lda >= std::max<blasint>(1, side ? n : m));" in text
    assert 'memory.writes("B", B, matrix_extent(m, n, ldb));' in text
    assert 'call.require(is_valid<T>(trans, "NTC"));' in text
    assert "BLAS(ztrsm)" in write_functions((row,))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_every_row_names_its_library(row) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    assert row.library
    assert row.instances
    assert find_sources().is_dir()
