"""cuSPARSE on the CPU."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from support.commands import ROOT
from support.mathlibs.programs import build, run
from support.mathlibs.results import Results, measure_error
from support.mathlibs.sparse import (
    KINDS,
    Expected,
    compute_conversions,
    compute_old_conversions,
    compute_others,
    compute_products,
)

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("scipy_openblas64") is None, reason="scipy-openblas64 is missing"
)
BOUNDS = {"double": 1e-13, "double_complex": 1e-13, "half": 2e-3, "bfloat16_float": 1e-2}
BASES = {"float": 1, "double": 0, "double_complex": 1}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of the program that a GPU runs, too."""
    source = ROOT / "tests" / "gpu" / "mathlibs" / "sparse.cpp"
    return run(build(tmp_path_factory.mktemp("sparse"), source, "-lcusparse"))


def check(found: Results, expected: Expected, bound: float) -> None:
    for key, array in expected.items():
        numbers = array.ravel()
        if np.iscomplexobj(numbers):
            numbers = np.column_stack([numbers.real, numbers.imag]).ravel()
        assert measure_error(found[key], numbers) <= bound, key


@pytest.mark.parametrize("name", KINDS)
def test_products_are_those_of_numpy(name: str, found: Results) -> None:
    check(found, compute_products(name), BOUNDS.get(name, 2e-6))


@pytest.mark.parametrize("name", BASES)
def test_other_functions_are_those_of_numpy(name: str, found: Results) -> None:
    check(found, compute_others(name), BOUNDS.get(name, 2e-6))
    check(found, compute_conversions(name, BASES[name]), BOUNDS.get(name, 2e-6))


def test_conversions_without_descriptors_are_exact(found: Results) -> None:
    check(found, compute_old_conversions(), 0)


def test_errors_are_those_of_a_gpu(found: Results) -> None:
    assert found["errors", 0, "statuses"].tolist() == [3, 3, 3, 3, 0, 3]
    assert found["errors", 0, "sum"].tolist() == [3]  # conjugate transposes of real numbers
