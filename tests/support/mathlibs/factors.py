"""Compute what tests/gpu/mathlibs/solvers.cpp prints, with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_M, _N, _K = 9, 7, 3


def fill(seed: int, count: int) -> Array:
    """Return the numbers that the programs compute."""
    return np.array([((seed * 7919 + i * 104729) % 997 / 997.0 - 0.5) * 2 for i in range(count)])


def make(
    seed: int, rows: int, columns: int, *, is_complex: bool, is_hermitian: bool = False
) -> Array:
    """Return the matrix of the program with a seed."""
    matrix = fill(seed, rows * columns).reshape(columns, rows).T.astype(complex)
    if is_complex:
        matrix += 1j * fill(seed + 1, rows * columns).reshape(columns, rows).T
    if is_hermitian:
        lower = np.tril(matrix, -1)
        matrix = lower + lower.conj().T + np.diag(matrix.diagonal().real + 2 * rows)
    else:
        matrix = matrix + np.eye(rows, columns)
    result: Array = matrix if is_complex else matrix.real
    return result


def compute_solutions(prefix: str) -> dict[tuple[str, int, str], Array]:
    """Return the results that algorithms do not choose, by name, number, and parameter."""
    is_complex = prefix in "CZ"

    def given(seed: int, rows: int, columns: int, *, is_hermitian: bool = False) -> Array:
        return make(seed, rows, columns, is_complex=is_complex, is_hermitian=is_hermitian)

    general, sides = given(1, _N, _N), given(3, _N, _K)
    positive, other = given(5, _N, _N, is_hermitian=True), given(17, _N, _N, is_hermitian=True)
    wide = given(19, _M, _N)
    solution = np.linalg.solve(positive, sides)
    results = {
        ("getrs", 0, "B"): np.linalg.solve(general, sides),
        ("getrs", 1, "B"): np.linalg.solve(general.T, sides),
        ("getrs", 2, "B"): np.linalg.solve(general.conj().T, sides),
        ("getrs", 3, "B"): np.linalg.solve(general, sides),
        ("getrs", 4, "B"): solution,
        ("potrs", 2, "B"): solution,
    }
    for i in range(4):
        half = np.triu(positive) if i & 1 else np.tril(positive)
        if i & 2:
            np.fill_diagonal(half, 1)
        # The other triangle stays as it is.
        results["trtri", i, "A"] = np.linalg.inv(half) + (
            np.tril(positive, -1) if i & 1 else np.triu(positive, 1)
        )
        if i & 2:
            np.fill_diagonal(results["trtri", i, "A"], positive.diagonal())
    pair = [np.linalg.svd(matrix) for matrix in (wide, given(13, _M, _N))]
    for i in range(2):
        results["gesvda", i, "S"] = np.concatenate([values[:_K] for _, values, _ in pair])
    left, values, right = pair[1]
    results["gesvda", 1, "product"] = (left[:, :_K] * values[:_K]) @ right[:_K]
    results["gesvda", 1, "residuals"] = np.array(
        [np.linalg.norm(values[_K:]) for _, values, _ in pair]
    )
    for i in range(2):
        batch = np.linalg.solve(given(7, _N, _N, is_hermitian=True), given(11, _N, 1))
        results["potrs", i, "B"] = solution
        results["potrsBatched", i, "B"] = batch
    for i in range(5):
        results["syevd", i, "W"] = np.linalg.eigvalsh(other)
        results["syevd", i, "product"] = other
    left, values, right = pair[0]
    results["gesvdr", 0, "S"] = values[:_K]
    results["gesvdr", 0, "product"] = (left[:, :_K] * values[:_K]) @ right[:_K]
    for i in range(6):
        results["gesvd", i, "S"] = np.linalg.svd(wide, compute_uv=False)
        results["gesvd", i, "product"] = wide
    for i, matrix in enumerate((np.linalg.solve(positive, other), other @ positive)):
        results["sygvd", i, "W"] = np.sort(np.linalg.eigvals(matrix).real)
    results["sygvd", 2, "W"] = results["sygvd", 1, "W"]
    return {(prefix + name, i, parameter): array for (name, i, parameter), array in results.items()}


def check_factors(prefix: str, found: dict[tuple[str, int, str], Array]) -> float:
    """Return the largest difference of products of factors and the matrix that they factorize."""
    is_complex = prefix in "CZ"

    def read(name: str, number: int, parameter: str, rows: int) -> Array:
        numbers = found[prefix + name, number, parameter]
        numbers = numbers[0::2] + 1j * numbers[1::2] if is_complex else numbers
        columns: Array = numbers.reshape(-1, rows).T
        return columns

    factors, expected = read("getrf", 0, "A", _N), make(1, _N, _N, is_complex=is_complex)
    for i, pivot in enumerate(found[prefix + "getrf", 0, "ipiv"].astype(int)):
        expected[[i, pivot - 1]] = expected[[pivot - 1, i]]
    lower, upper = np.tril(factors, -1) + np.eye(_N), np.triu(factors)
    errors = [np.abs(lower @ upper - expected).max()]
    positive = make(5, _N, _N, is_complex=is_complex, is_hermitian=True)
    factors = read("getrf", 1, "A", _N)
    lower, upper = np.tril(factors, -1) + np.eye(_N), np.triu(factors)
    errors.append(np.abs(lower @ upper - positive).max())
    for i in range(2):
        factor = read("potrf", i, "A", _N)
        lower = np.triu(factor).conj().T if i else np.tril(factor)
        errors.append(np.abs(lower @ lower.conj().T - positive).max())
        inverse = np.triu(read("potri", i, "A", _N)) if i else np.tril(read("potri", i, "A", _N))
        inverse = inverse + inverse.conj().T - np.diag(inverse.diagonal())
        errors.append(np.abs(inverse @ positive - np.eye(_N)).max())
    q, r = read("orgqr", 0, "A", _M), np.triu(read("geqrf", 0, "A", _M)[:_N])
    errors.append(np.abs(q @ r - make(13, _M, _N, is_complex=is_complex)).max())
    errors.append(np.abs(q.conj().T @ q - np.eye(_N)).max())
    product = q.conj().T @ make(15, _M, _K, is_complex=is_complex)
    errors.append(np.abs(read("ormqr", 0, "C", _M)[:_N] - product).max())
    for i in range(2):
        vectors, values = read("geev", i, "VR", _N), found[prefix + "geev", i, "W"]
        if is_complex or i == 1:
            values = values[0::2] + 1j * values[1::2]
        else:
            values = values[:_N] + 1j * values[_N:]
        values = values[:_N]
        if not is_complex:
            vectors = _join_pairs(vectors, values)
        general = make(1, _N, _N, is_complex=is_complex)
        errors.append(np.abs(general @ vectors - vectors * values).max())
        errors.append(np.abs(np.linalg.norm(vectors, axis=0) - 1).max())
    return float(max(errors))


def _join_pairs(columns: Array, values: Array) -> Array:
    """Return eigenvectors from LAPACK's columns for a real matrix.

    The vectors of two conjugate eigenvalues are the sum and the difference of two columns.
    """
    vectors = columns.astype(complex)
    for j in np.flatnonzero(values.imag > 0):
        vectors[:, j] = columns[:, j] + 1j * columns[:, j + 1]
        vectors[:, j + 1] = vectors[:, j].conj()
    return vectors
