"""Random kernels that use all of C++ around barriers compute what it demands."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.random_kernels.cxx.batches import ORDERS, check_batch, make_batches
from support.random_kernels.cxx.generate import FEATURES, generate_kernel
from support.random_kernels.cxx.program import list_wrong
from support.random_kernels.interpreter import find_results
from support.random_kernels.program import INPUT
from support.tools.toolchains import needs_programs

COUNT = int(os.environ.get("KBUILD_RANDOM_KERNELS", "60"))  # of the slow tests
BATCH = 6  # kernels per program


@pytest.mark.parametrize(
    ("compiler", "seeds", "options"),
    [
        # test_random_kernels.py has fibers by default.
        pytest.param("g++", range(1001, 1005), ("-O0",), id="fibers", marks=pytest.mark.slow),
        pytest.param("g++", (13, 38, 72, 114, 146), ("-O1",), id="regions"),
        pytest.param("g++", range(10000, 10000 + COUNT), ("-O1",), marks=pytest.mark.slow),
        pytest.param("g++", range(20000, 20000 + COUNT), ("-O3",), marks=pytest.mark.slow),
        pytest.param(
            *("clang++", range(30000, 30000 + COUNT), ("-O2",)),
            marks=[pytest.mark.slow, needs_programs("clang++")],
        ),
    ],
)
def test_kernels_compute_what_cxx_demands(
    tmp_path: Path, compiler: str, seeds: Sequence[int], options: tuple[str, ...]
) -> None:
    wrong = [
        f"{outcome.kernel.kernel.name} ({outcome.execution}): {outcome.problem}"
        for batch in make_batches(map(generate_kernel, seeds), BATCH)
        for outcome in check_batch(
            tmp_path, batch, compiler=compiler, options=options, orders=ORDERS
        )
        if outcome.problem
    ]

    assert wrong == []


@pytest.mark.slow
def test_kernels_compute_the_same_without_regions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBUILD_CPU_SPLIT", "off")
    kernels = [generate_kernel(seed) for seed in range(40000, 40000 + COUNT)]

    for batch in make_batches(kernels, BATCH):
        outcomes = check_batch(tmp_path, batch, compiler="g++", options=("-O1",), orders=ORDERS)
        assert [outcome.problem for outcome in outcomes] == [""] * len(batch)


def test_the_generated_kernels_are_valid() -> None:
    for seed in range(100):
        kernel = generate_kernel(seed, has_rare=True).kernel

        forwards = find_results(kernel, INPUT, is_reversed=False)

        assert find_results(kernel, INPUT, is_reversed=True) == forwards, kernel.cxx


@pytest.mark.parametrize("name", FEATURES)
def test_each_feature_is_valid(name: str) -> None:
    generated = generate_kernel(7, features=(name,))

    forwards = find_results(generated.kernel, INPUT, is_reversed=False)

    assert generated.features == (name,)
    assert find_results(generated.kernel, INPUT, is_reversed=True) == forwards


def test_wrong_results_are_found() -> None:
    generated = generate_kernel(0)
    expected = find_results(generated.kernel, INPUT, is_reversed=False)
    name = generated.kernel.name
    line = " ".join(map(str, (name, 0, *expected[:-1], expected[-1] ^ 1)))

    assert "1 of" in list_wrong([generated], line)[name]
    assert list_wrong([generated], "") == {name: "printed nothing"}
