"""Compute what tests/gpu/mathlibs/sparse.cpp prints, with NumPy.

NVIDIA's library rejects the conjugate transpose of real numbers: results stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from support.mathlibs.factors import fill

Array = np.ndarray[Any, Any]
Expected = dict[tuple[str, int, str], Array]
# The types of operands, and of results.
KINDS = {
    "float": (np.float32, np.float32),
    "double": (np.float64, np.float64),
    "complex": (np.complex64, np.complex64),
    "double_complex": (np.complex128, np.complex128),
    "half": (np.float16, np.float16),
    "half_float": (np.float16, np.float32),
    "bfloat16_float": (np.float32, np.float32),  # NumPy does not support bfloat16
    "int8": (np.int8, np.int32),
}
_ROWS, _COLUMNS = 9, 7


def _make(kind: Any, seed: int, count: int) -> Array:
    numbers = fill(seed, count) * (100 if kind is np.int8 else 1)
    if np.issubdtype(kind, np.complexfloating):
        numbers = numbers + 1j * fill(seed + 1, count)
    result: Array = numbers.astype(kind)
    return result


def _store(kind: Any, rows: int, columns: int, *, is_square: bool) -> Array:
    i, j = np.indices((rows, columns))
    places = (i * 5 + j * 3) % 4
    stored = (i == j) | (places == 0) if is_square else (i != 4) & (places != 1)
    matrix: Array = np.where(stored, _make(kind, 1, rows * columns).reshape(rows, columns), 0)
    return matrix + 4 * np.eye(rows) if is_square else matrix


_OPERATIONS: tuple[Callable[[Array], Array], ...] = (
    lambda a: a,
    lambda a: a.T,
    lambda a: a.conj().T,
)


def compute_products(name: str) -> Expected:
    """Return the products for a combination of types."""
    kind, result_kind = KINDS[name]
    wide = np.complex128 if np.issubdtype(kind, np.complexfloating) else np.float64
    matrix = _store(kind, _ROWS, _COLUMNS, is_square=False).astype(wide)
    expected: Expected = {}
    for number in range(9):
        op = number % 3
        a = _OPERATIONS[op](matrix)
        m, n = a.shape
        x, y = _make(kind, 3, n).astype(wide), _make(result_kind, 5, m).astype(wide)
        is_accepted = op < 2 or wide is np.complex128
        product = 2 * a @ x + (0 if op == 1 else 3) * y
        expected[name + "SpMV", number, "y"] = product if is_accepted else y
        for order in range(2):
            before, after = _multiply(a, (kind, result_kind, wide), number, order)
            key = name + "SpMM", number * 2 + order, "C"
            expected[key] = after if is_accepted else before
    return expected


def _multiply(
    a: Array, kinds: tuple[Any, Any, Any], number: int, order: int
) -> tuple[Array, Array]:
    """Return the memory before and after a product with a dense matrix, with the padding."""
    kind, result_kind, wide = kinds
    (m, n), k, op_b = a.shape, 3, (number + order) % 2
    b_shape = (k, n) if op_b else (n, k)

    def place(seed: int, rows: int, columns: int, element: Any) -> Array:
        lines, length = (rows, columns) if order else (columns, rows)
        return _make(element, seed, lines * (length + 1)).reshape(lines, length + 1).astype(wide)

    b = place(7, b_shape[0], b_shape[1], kind)[:, :-1]
    b = b if order else b.T
    memory = place(9, m, k, result_kind)
    before = memory.copy()
    c = memory[:, :-1] if order else memory[:, :-1].T
    product = 2 * a @ (b.T if op_b else b) + 3 * c
    memory[:, :-1] = product if order else product.T
    return before, memory


def compute_others(name: str) -> Expected:
    """Return the results of functions for one type."""
    kind = KINDS[name][0]
    is_complex = np.issubdtype(kind, np.complexfloating)
    square = _store(kind, _COLUMNS, _COLUMNS, is_square=True)
    x = _make(kind, 3, _COLUMNS)
    expected: Expected = {}
    for i in range(24):
        triangle = np.triu(square) if i & 1 else np.tril(square)
        if i & 2:
            triangle = triangle - np.diag(triangle.diagonal()) + np.eye(_COLUMNS)
        op = i // 4 % 3
        solution = np.linalg.solve(_OPERATIONS[op](triangle), 2 * x)
        expected[name + "SpSV", i, "y"] = solution if op < 2 or is_complex else 0 * x
    some, y, where = _make(kind, 11, 3), 3 * _make(kind, 13, _COLUMNS), [1, 3, 6]
    y[where] += 2 * some
    expected[name + "Axpby", 0, "y"] = y.copy()
    products = np.array([some @ y[where], some.conj() @ y[where] if is_complex else 0])
    expected[name + "SpVV", 0, "result"] = products
    expected[name + "Gather", 0, "x"] = y[where]
    scattered = np.zeros_like(y)
    scattered[where] = y[where]
    expected[name + "Scatter", 0, "y"] = scattered
    return expected


def compute_conversions(name: str, base: int) -> Expected:
    """Return the results of conversions of a dense matrix and back."""
    matrix = _store(KINDS[name][0], _ROWS, _COLUMNS, is_square=False)
    expected: Expected = {}
    for i in range(6):
        by_columns = i // 2 == 1
        lines = matrix.T if by_columns else matrix
        line, place = np.nonzero(lines)
        offsets = np.concatenate([[0], np.cumsum(np.count_nonzero(lines, axis=1))])
        expected[name + "DenseToSparse", i, "offsets"] = (line if i // 2 == 2 else offsets) + base
        expected[name + "DenseToSparse", i, "indices"] = place + base
        expected[name + "DenseToSparse", i, "values"] = lines[line, place]
        order = matrix if i & 1 else matrix.T
        expected[name + "SparseToDense", i, "B"] = np.pad(order, ((0, 0), (0, 1)))
    return expected


def compute_old_conversions() -> Expected:
    """Return the results of conversions without descriptors, for a base of 1."""
    matrix = _store(np.float64, _ROWS, _COLUMNS, is_square=False)
    column, row = np.nonzero(matrix.T)

    def count(lines: Array) -> Array:
        return np.concatenate([[0], np.cumsum(np.count_nonzero(lines, axis=1))]) + 1

    return {
        ("csr2coo", 0, "rows"): np.nonzero(matrix)[0] + 1,
        ("coo2csr", 0, "offsets"): count(matrix),
        ("csr2csc", 0, "offsets"): count(matrix.T),
        ("csr2csc", 0, "indices"): row + 1,
        ("csr2csc", 0, "values"): matrix[row, column],
    }
