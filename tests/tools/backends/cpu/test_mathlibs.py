"""NVIDIA's libraries on the CPU: results, order, errors, and checks."""

from __future__ import annotations

import importlib.util
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kbuild.backends.cpu.mathlibs.build import list_missing
from kbuild.backends.cpu.mathlibs.headers import list_directories
from kbuild.toolchain.find import gather_hints
from support.commands import ROOT, run_kbuild
from support.mathlibs.cases import Case, list_cases, write_program
from support.mathlibs.philox import compute_philox
from support.mathlibs.programs import build, run
from support.mathlibs.reference import compute
from support.mathlibs.results import Results, measure_error
from support.mathlibs.spectra import compute_spectra

# By default, test_library_calls.py, test_sparse_matrices.py, and test_solvers.py use the libraries.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("scipy_openblas64") is None, reason="scipy-openblas64 is missing"
    ),
]

SOURCES = ROOT / "tests" / "projects" / "mathlibs"
LINKED = ("-l", "cublas", "-l", "cusolver", "-l", "cusparse")
# The largest differences that rounding explains, relative to the largest element.
BOUNDS = {"float": 2e-5, "cuComplex": 2e-5, "double": 1e-12, "cuDoubleComplex": 1e-12}
EPSILONS = {"half": 2e-3, "bfloat16": 1e-2}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of all functions of the table."""
    directory = tmp_path_factory.mktemp("blas")
    source = directory / "blas.cpp"
    source.write_text(write_program())
    return run(build(directory, source, "-lcublas"))


def group_cases() -> Iterator[tuple[str, list[Case]]]:
    cases = list_cases()
    for key in dict.fromkeys(case.row.key for case in cases):
        yield key, [case for case in cases if case.row.key == key]


@pytest.mark.parametrize(
    ("key", "cases"), list(group_cases()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_functions_compute_what_numpy_computes(
    key: str, cases: list[Case], results: Results
) -> None:
    assert key
    for case in cases:
        for parameter, array in compute(case).items():
            is_complex = np.iscomplexobj(array)
            expected = np.column_stack([array.real, array.imag]).ravel() if is_complex else array
            error = measure_error(results[case.name, case.number, parameter], expected)
            assert error < BOUNDS[case.instance.element], (case.name, case.choices, parameter)


def test_checks_see_the_memory_of_calls() -> None:
    done = run_kbuild(
        *("run", "--check", "--require-launches", "0", *LINKED, SOURCES / "access.cu")
    )
    assert done.returncode == 1, done.stderr
    start = "error KC112 library-access: "
    lines = done.stderr.splitlines()
    assert [line.removeprefix(start) for line in lines if line.startswith(start)] == [
        "cublasSgemm writes 64 bytes at 'C', where only 60 bytes are left",
        "cublasSgemm reads 64 bytes at 'A', which is not memory of the device",
        "cublasSscal writes 64 bytes at 'x', which the program has freed",
        "cublasSscal reads 4 bytes at 'alpha', which is not memory of the device",
        "cusparseSpMV writes 16 bytes at 'vecY', where only 12 bytes are left",
        "cusolverDnSpotrf writes 64 bytes at 'A', which is not memory of the device",
    ]


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of the program that a GPU runs, too."""
    source = ROOT / "tests" / "gpu" / "mathlibs" / "products.cpp"
    return run(build(tmp_path_factory.mktemp("products"), source, "-lcublas", "-lcublasLt"))


def find(products: Results, name: str) -> list[np.ndarray]:
    return [array for (found, _, _), array in products.items() if found == name]


def fill(seed: int, count: int) -> np.ndarray:
    return np.array([((seed * 7919 + i * 104729) % 997 / 997.0 - 0.5) * 2 for i in range(count)])


def test_types_of_products_are_converted(products: Results) -> None:
    """The half and bfloat16 products are those of rounded factors."""
    a, b, c = fill(1, 24 * 24), fill(2, 24 * 24), fill(3, 24 * 8)
    matrices = [array.reshape(-1, 24).T for array in (a, b, c)]
    product = matrices[0][:12, :20] @ matrices[1][:20, :8]
    for name, bound in (("float", 1e-6), ("double", 1e-14), ("half_float", 2e-3), ("half", 2e-3),
                        ("bfloat16", 1e-2), ("half_to_float", 1e-3), ("tf32", 1e-6)):  # fmt: skip
        for factor, result in zip((0, 1), find(products, f"gemmEx_{name}")[:2], strict=True):
            expected = product + factor * matrices[2][:12]
            assert measure_error(result.reshape(8, 24).T[:12], expected) < bound, name


def test_products_of_integers_are_exact(products: Results) -> None:
    a, b = (np.trunc(fill(seed, 24 * 24) * 100).reshape(-1, 24).T for seed in (1, 2))
    expected = a[:20, :12].T @ b[:20, :8]
    result = find(products, "gemmEx_int8")[0].reshape(8, 24).T[:12]
    assert (result == expected).all()


def test_epilogues(products: Results) -> None:
    a, b = fill(21, 16 * 32).reshape(32, 16).T, fill(22, 32 * 24).reshape(24, 32).T
    c, bias = fill(23, 16 * 24).reshape(24, 16).T, fill(25, 128)[:16, None]
    value = a @ b + 0.5 * c

    def gelu(x: np.ndarray) -> np.ndarray:
        result: np.ndarray = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        return result

    expected = {1: value, 2: np.maximum(value, 0), 4: value + bias, 6: np.maximum(value + bias, 0),
                32: gelu(value), 36: gelu(value + bias)}  # fmt: skip
    for epilogue, matrix in expected.items():
        found = find(products, f"ltMatmul_double_{epilogue}")[-1]
        assert measure_error(found.reshape(24, 16).T, matrix) < 1e-12, epilogue


def test_matrices_by_rows(products: Results) -> None:
    a, b = fill(21, 16 * 32).reshape(16, 32), fill(22, 32 * 24).reshape(32, 24)
    expected = np.maximum(a @ b + 0.5 * fill(23, 16 * 24).reshape(16, 24), 0)
    found = find(products, "ltMatmul_double_2_rows")[-1]
    assert measure_error(found.reshape(16, 24), expected) < 1e-12


def test_statuses_are_those_of_a_gpu(products: Results) -> None:
    """The eighth one differs: NVIDIA documents an increment of 0 as invalid, but accepts it."""
    recorded = [1, 7, 7, 7, 0, 7, 7, 0, 0, 0, 7, 0, 7, 11]
    (statuses,) = find(products, "errors")
    assert statuses.tolist() == [*recorded[:7], 7, *recorded[8:]]
    heuristics = {key[0]: a.tolist() for key, a in products.items() if key[2] == "heuristic"}
    refused = {name for name, result in heuristics.items() if result == [15, 0]}
    by_rows = {4, 6, 36, 130, 134, 136, 160, 164, 192, 512}
    assert {int(name.split("_")[-2]) for name in refused if name.endswith("_rows")} <= by_rows
    assert {name for name in refused if not name.endswith("_rows")} == {
        f"ltMatmul_{kind}_512" for kind in ("float", "half_float", "bfloat16", "double")
    }


@pytest.mark.parametrize(
    ("name", "bound"),
    [("half", 2e-3), ("bfloat16", 2e-2), ("float", 1e-6), ("double", 1e-14), ("complex", 1e-6),
     ("double_complex", 1e-14)],
)  # fmt: skip
def test_vectors_whose_types_are_arguments(products: Results, name: str, bound: float) -> None:
    is_complex = "complex" in name
    found = {key[2]: array for key, array in products.items() if key[0] == f"vectors_{name}"}
    assert "status" not in found

    def read(numbers: np.ndarray) -> np.ndarray:
        return numbers[0::2] + 1j * numbers[1::2] if is_complex else numbers

    parts = 2 if is_complex else 1
    x, y = read(fill(41, 12 * parts)), read(fill(42, 6 * parts))
    own, other = x[::2].copy(), y[::-1].copy()
    sizes = np.abs(own.real) + np.abs(own.imag)
    results = read(found["results"])
    assert np.abs(results[:2] - [own @ other, own.conj() @ other]).max() < 4 * bound
    # The real results of complex vectors are as long as half an element.
    norms = found["results"][2 * parts :: parts][:2]
    assert np.abs(norms - [np.linalg.norm(own), sizes.sum()]).max() < 4 * bound
    assert found["places"].tolist() == [sizes.argmax() + 1, sizes.argmin() + 1]
    own *= 0.5
    other += 0.5 * own
    own, other = 0.75 * own + 0.25 * other, 0.75 * other - 0.25 * own
    x[::2], y = own, other[::-1]
    assert np.abs(read(found["x"]) - x).max() < bound
    assert np.abs(read(found["y"]) - y).max() < bound
    x, y = read(found["x"]), read(found["y"])
    x[0], y[0] = y[0], x[0]
    y[1:] = x[1:6][::-1]
    assert (read(found["swapped"]) == x).all()
    assert (read(found["copied"]) == y).all()


def test_statuses_of_vectors(products: Results) -> None:
    (statuses,) = find(products, "vector_errors")
    assert statuses.tolist() == [1, 15, 7, 15]
    (rotations,) = find(products, "vector_rotations")
    assert rotations.tolist() == [0, 1, 1]


@pytest.mark.parametrize(("prefix", "parts"), [("S", 1), ("D", 1), ("C", 2), ("Z", 2)])
def test_factorizations(products: Results, prefix: str, parts: int) -> None:
    """Each inverse, of the factors and of the matrix itself, is one."""
    raw = fill(7, 9 * 7 * 3 * parts)
    numbers = raw[0::2] + 1j * raw[1::2] if parts == 2 else raw
    found = find(products, f"{prefix}getriBatched")[0]
    inverses = found[0::2] + 1j * found[1::2] if parts == 2 else found
    for item in range(3):
        own = numbers[item * 63 : (item + 1) * 63].reshape(7, 9).T[:7].copy()
        own[np.arange(7), np.arange(7)] += 3
        inverse = inverses[item * 63 : (item + 1) * 63].reshape(7, 9).T[:7]
        bound = 1e-4 if prefix in "SC" else 1e-12
        assert np.abs(own @ inverse - np.eye(7)).max() < bound


def find_kissfft() -> bool:
    roots = (os.environ.get("KISSFFT_ROOT"), "/usr/local", "/usr")
    return any(Path(root, "include/kissfft/kissfft.hh").is_file() for root in roots if root)


@pytest.mark.skipif(not find_kissfft(), reason="kissfft is missing (Debian: libkissfft-dev)")
def test_transforms_compute_what_numpy_computes(tmp_path: Path) -> None:
    source = ROOT / "tests" / "gpu" / "mathlibs" / "transforms.cpp"
    results = run(build(tmp_path, source, "-lcufft"))
    assert results.pop(("errors", 0, "statuses")).tolist() == [8, 3, 1]
    expected = compute_spectra(results)
    assert len(expected) == 72
    for key, array in results.items():
        bound = 3e-7 if key[0][:3] in {"C2C", "R2C", "C2R"} else 1e-14
        assert measure_error(array, expected[key]) < bound, key


def read_numbers(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the call, and the words: of a status, or a digest and some numbers."""
    for line in text.splitlines():
        if not line.startswith("#"):
            name, call, *words = line.split()
            yield f"{name} {call}", words


def decode(word: str, width: int) -> float:
    """Return a number from its place and its bits."""
    digits = word.partition(":")[2].rjust(width, "0")
    (number,) = struct.unpack(">d" if width == 16 else ">f", bytes.fromhex(digits))
    return float(number)


def list_random_cases() -> list[str]:
    """Return the names of the recorded cases; the seeds of some generators take seconds."""
    recording = ROOT / "tests" / "gpu" / "mathlibs" / "random.txt"
    names = dict.fromkeys(name.split()[0] for name, _ in read_numbers(recording.read_text()))
    return list(names)


@pytest.fixture(scope="module")
def random_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hints = gather_hints()
    if "libcurand.so" in dict(list_missing(hints)):
        pytest.skip("cuRAND is missing (pip install nvidia-curand nvidia-cuda-runtime)")
    source = ROOT / "tests" / "gpu" / "mathlibs" / "random.cpp"
    return build(tmp_path_factory.mktemp("random"), source, "-lcurand")


def check_numbers(program: Path, names: list[str]) -> None:
    """Compare numbers with those of a GPU: normal ones within rounding, and all others exactly."""
    recording = (ROOT / "tests" / "gpu" / "mathlibs" / "random.txt").read_text()
    done = subprocess.run([program, *names], check=True, capture_output=True, text=True)
    ours = dict(read_numbers(done.stdout))
    expected = {key: words for key, words in read_numbers(recording) if key.split()[0] in names}
    assert ours.keys() == expected.keys()
    for key, words in expected.items():
        if "normal" not in key or words[0] == "status":
            assert [word for word in ours[key] if word in words] == words, key
            continue
        places = {word.partition(":")[0]: word for word in ours[key][2:]}
        width = 16 if "double" in key else 8
        for word in words[2:]:
            theirs = decode(word, width)
            difference = abs(decode(places[word.partition(":")[0]], width) - theirs)
            assert difference <= (1e-14 if width == 16 else 4e-6) * max(1, abs(theirs)), key


def is_slow(name: str) -> bool:
    return name.startswith(("mt19937", "mrg32k3a_normal"))


def test_random_numbers_are_those_of_a_gpu(random_program: Path) -> None:
    check_numbers(random_program, [name for name in list_random_cases() if not is_slow(name)])


@pytest.mark.slow
def test_numbers_of_slow_generators_are_those_of_a_gpu(random_program: Path) -> None:
    check_numbers(random_program, [name for name in list_random_cases() if is_slow(name)])


def test_device_functions_of_curand(tmp_path: Path) -> None:
    """The header is NVIDIA's, and the numbers of Philox are those of its authors."""
    if not list_directories(gather_hints()):
        pytest.skip("cuRAND's headers are missing (pip install nvidia-curand)")
    program = tmp_path / "philox"
    words = ("--backend", "cpu", "--build-only", "-o", program, SOURCES / "philox.cu")
    done = run_kbuild("run", *words)
    assert done.returncode == 0, done.stderr
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    philox, xorwow, mrg = ([int(word) for word in line.split()] for line in output.splitlines())
    assert philox == [number for i in range(8) for number in compute_philox(1234, i)]
    assert len(set(xorwow)) == len(set(mrg)) == 8
