"""cuSOLVER's functions for dense matrices on the CPU."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from support.commands import ROOT
from support.mathlibs.factors import check_factors, compute_solutions
from support.mathlibs.programs import build, run
from support.mathlibs.results import Results, measure_error

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("scipy_openblas64") is None, reason="scipy-openblas64 is missing"
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of the program that a GPU runs, too."""
    source = ROOT / "tests" / "gpu" / "mathlibs" / "solvers.cpp"
    return run(build(tmp_path_factory.mktemp("solvers"), source, "-lcusolver"))


@pytest.mark.parametrize("prefix", ["S", "D", "C", "Z"])
def test_solutions_are_those_of_numpy(prefix: str, found: Results) -> None:
    bound = 2e-5 if prefix in "SC" else 1e-12
    for key, array in compute_solutions(prefix).items():
        numbers = array.T.ravel()
        if prefix in "CZ" and key[2] not in {"W", "S", "residuals"}:
            numbers = np.column_stack([numbers.real, numbers.imag]).ravel()
        assert measure_error(found[key], numbers) < bound, key
    assert check_factors(prefix, found) < (2e-5 if prefix in "SC" else 1e-12)


def test_errors_are_those_of_a_gpu(found: Results) -> None:
    assert found["errors", 0, "info"].tolist() == [1, 1]
    assert found["errors", 0, "statuses"].tolist() == [1, 1, 3, 3, 3, 3, 3, 3, 3, 1]
