"""What the functions of cuBLAS compute, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from kbuild.backends.cpu.mathlibs.table import Parameter
from support.mathlibs.cases import ITEMS, SIZES, Case, find_value

Array = np.ndarray[Any, Any]
_COMPLEX: Final = ("cuComplex", "cuDoubleComplex")
_SINGLE: Final = ("float", "cuComplex")


class Memory:
    """The memory of a case, as the program fills it, and views of one item of a batch."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.item = 0
        self.arrays: dict[str, Array] = {}
        self._parameters = {p.name: p for p in case.row.parameters}
        for position, parameter in enumerate(case.row.parameters):
            if parameter.kind in {"op", "fill", "side", "diag"}:
                continue
            if parameter.kind != "dim":
                self.arrays[parameter.name] = self._fill(parameter, position)

    def _fill(self, parameter: Parameter, position: int) -> Array:
        is_real = parameter.kind == "real" or parameter.type in {"R", "Index"}
        is_complex = self.case.instance.element in _COMPLEX and not is_real
        if parameter.is_array or parameter.kind == "packed":
            items = 1 if self.case.variant == "one" else ITEMS
            count = self.case.extents(parameter)[1] * items
        else:
            count = 5 if parameter.kind in {"values", "results"} else 1
        seed = self.case.number * 31 + position
        numbers = np.array([find_value(seed, i) for i in range(count * (1 + is_complex))])
        if self.case.instance.element in _SINGLE:
            numbers = numbers.astype(np.float32).astype(np.float64)
        if parameter.kind == "values":
            numbers[0] = -1
        return numbers[0::2] + 1j * numbers[1::2] if is_complex else numbers

    def scalar(self, name: str) -> Any:
        """Return a scalar."""
        return self.arrays[name][0]

    def _own(self, name: str) -> Array:
        layout_elements = self.case.extents(self._parameters[name])[1]
        return self.arrays[name][self.item * layout_elements : (self.item + 1) * layout_elements]

    def matrix(self, name: str) -> Array:
        """Return a view of a matrix."""
        parameter = self._parameters[name]
        rows, columns = (self.case.evaluate(size) for size in parameter.sizes)
        view: Array = self._own(name).reshape(columns, -1).T[:rows]
        return view

    def vector(self, name: str) -> Array:
        """Return a view of a vector."""
        parameter = self._parameters[name]
        increment = self.case.increment(parameter)
        every = self._own(name)[:: abs(increment)]
        return every[::-1] if increment < 0 else every

    def choice(self, name: str) -> str:
        """Return the letter of an enumeration."""
        return self.case.choices[name]


def apply(operation: str, matrix: Array) -> Array:
    """Return op(A)."""
    results: dict[str, Array] = {"N": matrix, "T": matrix.T, "C": matrix.conj().T}
    return results[operation]


def symmetric(matrix: Array, fill: str) -> Array:
    """Return the symmetric matrix of which one triangle is stored."""
    triangle = np.tril(matrix) if fill == "L" else np.triu(matrix)
    whole: Array = triangle + triangle.T - np.diag(np.diag(matrix))
    return whole


def hermitian(matrix: Array, fill: str) -> Array:
    """Return the Hermitian matrix of which one triangle is stored."""
    triangle = np.tril(matrix, -1) if fill == "L" else np.triu(matrix, 1)
    whole: Array = triangle + triangle.conj().T + np.diag(np.diag(matrix).real)
    return whole


def triangular(matrix: Array, fill: str, diag: str) -> Array:
    """Return the triangle of a matrix."""
    triangle = np.tril(matrix) if fill == "L" else np.triu(matrix)
    if diag == "U":
        np.fill_diagonal(triangle, 1)
    return triangle


def unpack(packed: Array, fill: str, n: int) -> Array:
    """Return a triangle that is stored without gaps, by columns."""
    matrix = np.zeros((n, n), packed.dtype)
    position = 0
    for j in range(n):
        rows = range(j, n) if fill == "L" else range(j + 1)
        for i in rows:
            matrix[i, j] = packed[position]
            position += 1
    return matrix


def pack(matrix: Array, fill: str, packed: Array) -> None:
    """Write a triangle without gaps."""
    n = len(matrix)
    rows = [(i, j) for j in range(n) for i in (range(j, n) if fill == "L" else range(j + 1))]
    packed[:] = [matrix[place] for place in rows]


def unband(band: Array, rows: int, below: int, above: int) -> Array:
    """Return a matrix whose diagonals are the rows of a band."""
    columns = band.shape[1]
    matrix = np.zeros((rows, columns), band.dtype)
    for j in range(columns):
        for i in range(max(0, j - above), min(rows, j + below + 1)):
            matrix[i, j] = band[above + i - j, j]
    return matrix


def _triangle_of(m: Memory) -> Array:
    """Return the matrix of a function for symmetric or triangular matrices."""
    case, fill = m.case, m.choice("uplo")
    n, k = SIZES["n"], SIZES["k"]
    name = case.row.key
    if "AP" in m.arrays:
        return unpack(m.arrays["AP"], fill, n)
    if name in {"sbmv", "hbmv", "tbmv", "tbsv"}:
        return unband(m.matrix("A"), n, k if fill == "L" else 0, k if fill == "U" else 0)
    return m.matrix("A")


def _update(matrix: Array, fill: str, change: Array, *, is_hermitian: bool = False) -> None:
    keep = np.tril(np.ones(matrix.shape)) if fill == "L" else np.triu(np.ones(matrix.shape))
    result = np.where(keep != 0, matrix + change, matrix)
    if is_hermitian:
        np.fill_diagonal(result, np.diag(result).real)
    matrix[:] = result


def _multiply_vector(m: Memory, matrix: Array) -> None:
    y = m.vector("y")
    y[:] = m.scalar("alpha") * (matrix @ m.vector("x")) + m.scalar("beta") * y


def _run_gemv(m: Memory) -> None:
    matrix = m.matrix("A")
    if m.case.row.key == "gbmv":
        matrix = unband(matrix, SIZES["m"], SIZES["kl"], SIZES["ku"])
    _multiply_vector(m, apply(m.choice("trans"), matrix))


def _run_symv(m: Memory) -> None:
    whole = hermitian if m.case.row.key in {"hemv", "hbmv", "hpmv"} else symmetric
    _multiply_vector(m, whole(_triangle_of(m), m.choice("uplo")))


def _run_ger(m: Memory) -> None:
    y = m.vector("y")
    m.matrix("A")[:] += m.scalar("alpha") * np.outer(
        m.vector("x"), y.conj() if m.case.row.key == "gerc" else y
    )


def _run_rank_update(m: Memory) -> None:
    key, fill, alpha = m.case.row.key, m.choice("uplo"), m.scalar("alpha")
    is_hermitian = key in {"her", "her2", "hpr", "hpr2"}
    x = m.vector("x")
    y = m.vector("y") if "y" in m.arrays else x
    conjugate = np.conj if is_hermitian else np.asarray
    change = alpha * np.outer(x, conjugate(y))
    if "y" in m.arrays:
        change = change + conjugate(alpha) * np.outer(y, conjugate(x))
    matrix = _triangle_of(m)
    _update(matrix, fill, change, is_hermitian=is_hermitian)
    if "AP" in m.arrays:
        pack(matrix, fill, m.arrays["AP"])


def _run_triangular(m: Memory) -> None:
    triangle = triangular(_triangle_of(m), m.choice("uplo"), m.choice("diag"))
    matrix, x = apply(m.choice("trans"), triangle), m.vector("x")
    x[:] = matrix @ x if m.case.row.key.endswith("mv") else np.linalg.solve(matrix, x)


def _run_gemm(m: Memory) -> None:
    a, b = apply(m.choice("transa"), m.matrix("A")), apply(m.choice("transb"), m.matrix("B"))
    c = m.matrix("C")
    c[:] = m.scalar("alpha") * (a @ b) + m.scalar("beta") * c


def _run_symm(m: Memory) -> None:
    whole = hermitian if m.case.row.key == "hemm" else symmetric
    a, b, c = whole(m.matrix("A"), m.choice("uplo")), m.matrix("B"), m.matrix("C")
    product = a @ b if m.choice("side") == "L" else b @ a
    c[:] = m.scalar("alpha") * product + m.scalar("beta") * c


def _run_rank_k(m: Memory) -> None:
    key, alpha, trans = m.case.row.key, m.scalar("alpha"), m.choice("trans")
    is_hermitian = key.startswith("her")
    a = m.matrix("A") if trans == "N" else m.matrix("A").T
    b = a if "B" not in m.arrays else m.matrix("B") if trans == "N" else m.matrix("B").T
    if is_hermitian:
        # C = A A^H, or A^H A.
        a, b = (a, b) if trans == "N" else (a.conj(), b.conj())
    conjugate = np.conj if is_hermitian else np.asarray
    change = alpha * (a @ conjugate(b).T)
    if key in {"syr2k", "her2k"}:
        change = change + conjugate(alpha) * (b @ conjugate(a).T)
    c = m.matrix("C")
    change = change + (m.scalar("beta") - 1) * c
    _update(c, m.choice("uplo"), change, is_hermitian=is_hermitian)


def _run_trmm(m: Memory) -> None:
    triangle = triangular(m.matrix("A"), m.choice("uplo"), m.choice("diag"))
    a, b = apply(m.choice("trans"), triangle), m.matrix("B")
    product = a @ b if m.choice("side") == "L" else b @ a
    m.matrix("C")[:] = m.scalar("alpha") * product


def _run_trsm(m: Memory) -> None:
    triangle = triangular(m.matrix("A"), m.choice("uplo"), m.choice("diag"))
    a, b = apply(m.choice("trans"), triangle), m.matrix("B")
    solved = np.linalg.solve(a, b) if m.choice("side") == "L" else np.linalg.solve(a.T, b.T).T
    b[:] = m.scalar("alpha") * solved


def _run_geam(m: Memory) -> None:
    a, b = apply(m.choice("transa"), m.matrix("A")), apply(m.choice("transb"), m.matrix("B"))
    m.matrix("C")[:] = m.scalar("alpha") * a + m.scalar("beta") * b


def _run_dgmm(m: Memory) -> None:
    x = m.vector("x")
    m.matrix("C")[:] = m.matrix("A") * (x[:, None] if m.choice("mode") == "L" else x[None])


def _run_tpttr(m: Memory) -> None:
    fill = m.choice("uplo")
    keep = np.tril if fill == "L" else np.triu
    matrix = m.matrix("A")
    if m.case.row.key == "trttp":
        pack(matrix, fill, m.arrays["AP"])
    else:
        chosen = keep(np.ones(matrix.shape)) != 0
        matrix[:] = np.where(chosen, unpack(m.arrays["AP"], fill, SIZES["n"]), matrix)


def _run_reduction(m: Memory) -> None:
    key, x = m.case.row.key, m.vector("x")
    if key in {"amax", "amin"}:
        sizes = np.abs(x.real) + np.abs(x.imag)
        m.arrays["result"][0] = 1 + (np.argmax(sizes) if key == "amax" else np.argmin(sizes))
    elif key == "asum":
        m.arrays["result"][0] = np.sum(np.abs(x.real) + np.abs(x.imag))
    elif key == "nrm2":
        m.arrays["result"][0] = np.linalg.norm(x)
    else:
        m.arrays["result"][0] = np.sum((x.conj() if key == "dotc" else x) * m.vector("y"))


def _run_vectors(m: Memory) -> None:
    key, x = m.case.row.key, m.vector("x")
    if key.startswith("scal"):
        x[:] = m.scalar("alpha") * x
        return
    y = m.vector("y")
    if key == "axpy":
        y[:] = m.scalar("alpha") * x + y
    elif key == "copy":
        y[:] = x
    elif key == "swap":
        x[:], y[:] = y.copy(), x.copy()
    elif key == "rotm":
        _, h11, h21, h12, h22 = m.arrays["param"]
        x[:], y[:] = h11 * x + h12 * y, h21 * x + h22 * y
    else:
        c, s = m.scalar("c"), m.scalar("s")
        x[:], y[:] = c * x + s * y, c * y - np.conj(s) * x


def _run_rotg(m: Memory) -> None:
    a, b = m.scalar("a"), m.scalar("b")
    norm = np.sqrt(abs(a) ** 2 + abs(b) ** 2)
    if m.case.instance.is_complex:
        unit = a / abs(a)
        c, s, r, z = abs(a) / norm, unit * np.conj(b) / norm, unit * norm, b
    else:
        c, s, r = a / norm, b / norm, norm  # all numbers are positive
        z = s if a > b else 1 / c
    m.arrays["a"][0], m.arrays["b"][0], m.arrays["c"][0], m.arrays["s"][0] = r, z, c, s


def _run_rotmg(m: Memory) -> None:
    d1, d2, x1, y1 = (m.scalar(name) for name in ("d1", "d2", "x1", "y1"))
    first, second = d1 * x1, d2 * y1
    if abs(first * x1) > abs(second * y1):
        h21, h12 = -y1 / x1, second / first
        u = 1 - h12 * h21
        values = {0: 0, 2: h21, 3: h12}
        d1, d2, x1 = d1 / u, d2 / u, x1 * u
    else:
        h11, h22 = first / second, x1 / y1
        u = 1 + h11 * h22
        values = {0: 1, 1: h11, 4: h22}
        d1, d2, x1 = d2 / u, d1 / u, y1 * u
    for place, value in values.items():
        m.arrays["param"][place] = value
    m.arrays["d1"][0], m.arrays["d2"][0], m.arrays["x1"][0] = d1, d2, x1


_FUNCTIONS: Final[dict[Callable[[Memory], None], str]] = {
    _run_reduction: "amax amin asum nrm2 dot dotu dotc",
    _run_vectors: "axpy copy swap scal scal_real rot rot_complex rot_real rotm",
    _run_rotg: "rotg",
    _run_rotmg: "rotmg",
    _run_gemv: "gemv gbmv",
    _run_ger: "ger geru gerc",
    _run_symv: "symv symv_complex hemv sbmv hbmv spmv hpmv",
    _run_rank_update: "syr syr_complex her syr2 syr2_complex her2 spr hpr spr2 hpr2",
    _run_triangular: "trmv trsv tbmv tbsv tpmv tpsv",
    _run_gemm: "gemm gemm3m gemm3m_many",
    _run_symm: "symm hemm",
    _run_rank_k: "syrk herk syr2k her2k syrkx herkx",
    _run_trsm: "trsm",
    _run_trmm: "trmm",
    _run_geam: "geam",
    _run_dgmm: "dgmm",
    _run_tpttr: "tpttr trttp",
}
_BY_KEY: Final = {key: function for function, keys in _FUNCTIONS.items() for key in keys.split()}


def compute(case: Case) -> dict[str, Array]:
    """Return what is in the memory that the function writes afterward, by parameter."""
    memory = Memory(case)
    for item in range(1 if case.variant == "one" else ITEMS):
        memory.item = item
        _BY_KEY[case.row.key](memory)
    written = (p for p in case.row.parameters if p.access != "in" and p.name in memory.arrays)
    return {p.name: memory.arrays[p.name] for p in written}
