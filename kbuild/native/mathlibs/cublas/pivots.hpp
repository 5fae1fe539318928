// LU factorizations with NVIDIA's pivots. A program that passes no array for them disables pivoting.
#ifndef KBUILD_MATHLIBS_CUBLAS_PIVOTS_HPP
#define KBUILD_MATHLIBS_CUBLAS_PIVOTS_HPP

#include "cublas/blas.hpp"

#include <numeric>
#include <vector>

namespace kbuild::mathlibs {

// Returns LAPACK's pivots. Without pivots, each row stays where it is.
template <class Index>
std::vector<blasint> read_pivots(const Index* from, blasint count) {
    if (from != nullptr) return {from, from + count};
    std::vector<blasint> pivots(static_cast<std::size_t>(count));
    std::iota(pivots.begin(), pivots.end(), blasint{1});
    return pivots;
}

// LAPACK has no function for this. Returns the first zero on the diagonal, counted from 1, or 0.
template <class T>
blasint factorize_without_pivots(blasint m, blasint n, T* A, blasint lda) {
    blasint first_zero = 0;
    for (blasint j = 0; j < n; ++j) {
        T* const column = A + j * lda;
        for (blasint k = 0; k < std::min(j, m); ++k)
            for (blasint i = k + 1; i < m; ++i)
                column[i] = subtract(column[i], multiply(A[k * lda + i], column[k]));
        if (j >= m) continue;
        if (is_zero(column[j])) {
            if (first_zero == 0) first_zero = j + 1;
            continue;
        }
        for (blasint i = j + 1; i < m; ++i) column[i] = divide(column[i], column[j]);
    }
    return first_zero;
}

// Calls LAPACK's function with the matrix and pivots, and writes them where NVIDIA's has them.
template <class T, class Index, class Function>
int factorize_lu(Function getrf, blasint m, blasint n, T* A, blasint lda, Index* pivots) {
    if (pivots == nullptr) return static_cast<int>(factorize_without_pivots(m, n, A, lda));
    std::vector<blasint> wide(static_cast<std::size_t>(std::min(m, n)));
    const auto info = static_cast<int>(getrf(m, n, A, lda, wide.data()));
    std::transform(wide.begin(), wide.end(), pivots,
                   [](blasint pivot) { return static_cast<Index>(pivot); });
    return info;
}

}  // namespace kbuild::mathlibs

#endif
