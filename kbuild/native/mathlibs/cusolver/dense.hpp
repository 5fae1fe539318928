// The functions for dense matrices, for all types and both widths of numbers.
#ifndef KBUILD_MATHLIBS_CUSOLVER_DENSE_HPP
#define KBUILD_MATHLIBS_CUSOLVER_DENSE_HPP

#include "cublas/pivots.hpp"
#include "cusolver/handle.hpp"
#include "cusolver/lapack.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace kbuild::mathlibs {

inline bool is_leading(blasint leading, blasint rows) {
    return leading >= std::max<blasint>(1, rows);
}
inline bool is_valid(cusolverEigMode_t job) {
    return job == CUSOLVER_EIG_MODE_NOVECTOR || job == CUSOLVER_EIG_MODE_VECTOR;
}
inline const char* letter(cusolverEigMode_t job) {
    return job == CUSOLVER_EIG_MODE_VECTOR ? "V" : "N";
}
inline char letter(cublasOperation_t operation) { return "NTC"[operation]; }
inline std::size_t to_size(blasint number) { return static_cast<std::size_t>(number); }

// Index is the type of NVIDIA's pivots.
template <class T, class Index>
cusolverStatus_t run_getrf(const char* name, cusolverDnHandle_t handle, blasint m, blasint n, T* A,
                           blasint lda, Index* ipiv, int* info) {
    SolverCall call(name, handle);
    call.require(m >= 0 && n >= 0 && is_leading(lda, m) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(m, n, lda));
        memory.writes("devIpiv", ipiv, ipiv == nullptr ? 0 : std::min(m, n));
        memory.writes("devInfo", info, 1);
        if (memory.is_valid())
            *info = factorize_lu([](auto... x) { return lapack::getrf(x...); }, m, n, A, lda, ipiv);
    });
}

template <class T, class Index>
cusolverStatus_t run_getrs(const char* name, cusolverDnHandle_t handle, cublasOperation_t trans,
                           blasint n, blasint nrhs, const T* A, blasint lda, const Index* ipiv,
                           T* B, blasint ldb, int* info) {
    SolverCall call(name, handle);
    call.require(is_valid<T>(trans, "NTC") && n >= 0 && nrhs >= 0 && is_leading(lda, n) &&
                 is_leading(ldb, n) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.reads("A", A, matrix_extent(n, n, lda));
        memory.reads("devIpiv", ipiv, ipiv == nullptr ? 0 : n);
        memory.writes("B", B, matrix_extent(n, nrhs, ldb));
        memory.writes("devInfo", info, 1);
        if (!memory.is_valid()) return;
        const auto pivots = read_pivots(ipiv, n);
        *info =
            static_cast<int>(lapack::getrs(letter(trans), n, nrhs, A, lda, pivots.data(), B, ldb));
    });
}

// potrf and potri.
template <class T, class Function>
cusolverStatus_t run_triangle(const char* name, Function function, cusolverDnHandle_t handle,
                              cublasFillMode_t uplo, blasint n, T* A, blasint lda, int* info) {
    SolverCall call(name, handle);
    call.require(is_valid(uplo) && n >= 0 && is_leading(lda, n) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(n, n, lda));
        memory.writes("devInfo", info, 1);
        if (memory.is_valid()) *info = static_cast<int>(function(letter(uplo), n, A, lda));
    });
}

template <class T>
cusolverStatus_t run_potrs(const char* name, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                           blasint n, blasint nrhs, const T* A, blasint lda, T* B, blasint ldb,
                           int* info) {
    SolverCall call(name, handle);
    call.require(is_valid(uplo) && n >= 0 && nrhs >= 0 && is_leading(lda, n) &&
                 is_leading(ldb, n) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.reads("A", A, matrix_extent(n, n, lda));
        memory.writes("B", B, matrix_extent(n, nrhs, ldb));
        memory.writes("devInfo", info, 1);
        if (memory.is_valid())
            *info = static_cast<int>(lapack::potrs(letter(uplo), n, nrhs, A, lda, B, ldb));
    });
}

template <class T>
cusolverStatus_t run_potrf_batched(const char* name, cusolverDnHandle_t handle,
                                   cublasFillMode_t uplo, blasint n, T* const* A, blasint lda,
                                   int* info, blasint items) {
    SolverCall call(name, handle);
    call.require(is_valid(uplo) && n >= 0 && is_leading(lda, n) && items >= 0 && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.reads("Aarray", A, items);
        memory.writes("infoArray", info, items);
        for (blasint item = 0; item < items && memory.is_valid(); ++item) {
            memory.writes("Aarray", A[item], matrix_extent(n, n, lda));
            if (memory.is_valid())
                info[item] = static_cast<int>(lapack::potrf(letter(uplo), n, A[item], lda));
        }
    });
}

template <class T>
cusolverStatus_t run_potrs_batched(const char* name, cusolverDnHandle_t handle,
                                   cublasFillMode_t uplo, blasint n, blasint nrhs, T* const* A,
                                   blasint lda, T* const* B, blasint ldb, int* info,
                                   blasint items) {
    SolverCall call(name, handle);
    call.require(is_valid(uplo) && n >= 0 && is_leading(lda, n) && is_leading(ldb, n) &&
                 items >= 0 && info != nullptr);
    call.require_supported(nrhs == 1, "NVIDIA's library has it for one right-hand side only");
    return call.submit([=](Memory& memory) {
        memory.reads("A", A, items);
        memory.reads("B", B, items);
        memory.writes("d_info", info, 1);
        blasint result = 0;
        for (blasint item = 0; item < items && memory.is_valid(); ++item) {
            memory.reads("A", A[item], matrix_extent(n, n, lda));
            memory.writes("B", B[item], matrix_extent(n, nrhs, ldb));
            if (memory.is_valid())
                result = lapack::potrs(letter(uplo), n, nrhs, A[item], lda, B[item], ldb);
        }
        if (memory.is_valid()) *info = static_cast<int>(result);
    });
}

template <class T>
cusolverStatus_t run_geqrf(const char* name, cusolverDnHandle_t handle, blasint m, blasint n, T* A,
                           blasint lda, T* tau, int* info) {
    SolverCall call(name, handle);
    call.require(m >= 0 && n >= 0 && is_leading(lda, m) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(m, n, lda));
        memory.writes("TAU", tau, std::min(m, n));
        memory.writes("devInfo", info, 1);
        if (memory.is_valid()) *info = static_cast<int>(lapack::geqrf(m, n, A, lda, tau));
    });
}

template <class T>
cusolverStatus_t run_orgqr(const char* name, cusolverDnHandle_t handle, blasint m, blasint n,
                           blasint k, T* A, blasint lda, const T* tau, int* info) {
    SolverCall call(name, handle);
    call.require(m >= n && n >= k && k >= 0 && is_leading(lda, m) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(m, n, lda));
        memory.reads("tau", tau, k);
        memory.writes("info", info, 1);
        if (memory.is_valid()) *info = static_cast<int>(lapack::orgqr(m, n, k, A, lda, tau));
    });
}

template <class T>
cusolverStatus_t run_ormqr(const char* name, cusolverDnHandle_t handle, cublasSideMode_t side,
                           cublasOperation_t trans, blasint m, blasint n, blasint k, const T* A,
                           blasint lda, const T* tau, T* C, blasint ldc, int* info) {
    SolverCall call(name, handle);
    const auto rows = side == CUBLAS_SIDE_LEFT ? m : n;
    call.require(is_valid(side) && is_valid<T>(trans, "NC") && m >= 0 && n >= 0 && k >= 0 &&
                 k <= rows && is_leading(lda, rows) && is_leading(ldc, m) && info != nullptr);
    const char operation = trans == CUBLAS_OP_N ? 'N' : is_complex<T> ? 'C' : 'T';
    return call.submit([=](Memory& memory) {
        memory.reads("A", A, matrix_extent(rows, k, lda));
        memory.reads("tau", tau, k);
        memory.writes("C", C, matrix_extent(m, n, ldc));
        memory.writes("devInfo", info, 1);
        if (memory.is_valid())
            *info = static_cast<int>(lapack::ormqr(side == CUBLAS_SIDE_LEFT ? "L" : "R", operation,
                                                   m, n, k, A, lda, tau, C, ldc));
    });
}

// Eigenvalues of one or many matrices, one after the other in memory.
template <class T, class R>
cusolverStatus_t run_syevd(const char* name, cusolverDnHandle_t handle, cusolverEigMode_t job,
                           cublasFillMode_t uplo, blasint n, T* A, blasint lda, R* W, int* info,
                           blasint items = 1) {
    SolverCall call(name, handle);
    call.require(is_valid(job) && is_valid(uplo) && n >= 0 && is_leading(lda, n) && items >= 0 &&
                 info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, batch_extent(matrix_extent(n, n, lda), lda * n, items));
        memory.writes("W", W, n * items);
        memory.writes("info", info, items);
        for (blasint item = 0; item < items && memory.is_valid(); ++item)
            info[item] = static_cast<int>(
                lapack::syevd(letter(job), letter(uplo), n, A + item * lda * n, lda, W + item * n));
    });
}

template <class T, class R>
cusolverStatus_t run_sygvd(const char* name, cusolverDnHandle_t handle, cusolverEigType_t type,
                           cusolverEigMode_t job, cublasFillMode_t uplo, blasint n, T* A,
                           blasint lda, T* B, blasint ldb, R* W, int* info) {
    SolverCall call(name, handle);
    call.require(type >= CUSOLVER_EIG_TYPE_1 && type <= CUSOLVER_EIG_TYPE_3 && is_valid(job) &&
                 is_valid(uplo) && n >= 0 && is_leading(lda, n) && is_leading(ldb, n) &&
                 info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(n, n, lda));
        memory.writes("B", B, matrix_extent(n, n, ldb));
        memory.writes("W", W, n);
        memory.writes("info", info, 1);
        if (memory.is_valid())
            *info = static_cast<int>(
                lapack::sygvd(type, letter(job), letter(uplo), n, A, lda, B, ldb, W));
    });
}

inline bool is_svd_job(signed char job) {
    return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

template <class T, class R>
cusolverStatus_t run_gesvd(const char* name, cusolverDnHandle_t handle, signed char jobu,
                           signed char jobvt, blasint m, blasint n, T* A, blasint lda, R* S, T* U,
                           blasint ldu, T* VT, blasint ldvt, int* info) {
    SolverCall call(name, handle);
    const auto count = std::min(m, n);
    const auto left = jobu == 'A' ? m : jobu == 'S' ? count : 0;
    const auto right = jobvt == 'A' ? n : jobvt == 'S' ? count : 0;
    // As NVIDIA's, needs at least as many rows as columns.
    call.require(is_svd_job(jobu) && is_svd_job(jobvt) && !(jobu == 'O' && jobvt == 'O') &&
                 m >= n && n >= 0 && is_leading(lda, m) && is_leading(ldu, left > 0 ? m : 1) &&
                 is_leading(ldvt, std::max<blasint>(1, right)) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(m, n, lda));
        memory.writes("S", S, count);
        memory.writes("U", U, matrix_extent(m, left, ldu));
        memory.writes("VT", VT, matrix_extent(right, n, ldvt));
        memory.writes("info", info, 1);
        if (memory.is_valid())
            *info =
                static_cast<int>(lapack::gesvd(static_cast<char>(jobu), static_cast<char>(jobvt), m,
                                               n, A, lda, S, U, ldu, VT, ldvt));
    });
}

// Computes the largest singular values of a matrix, and their vectors. Returns LAPACK's `info`.
template <class T, class R>
int find_largest(bool has_vectors, blasint rank, blasint m, blasint n, const T* A, blasint lda,
                 R* S, T* U, blasint ldu, T* V, blasint ldv) {
    const auto count = std::min(m, n), leading = std::max<blasint>(1, m),
               rows = std::max<blasint>(1, count);
    std::vector<T> copy(to_size(leading * n)), left(to_size(leading * count)),
        adjoint(to_size(rows * n));
    std::vector<R> values(to_size(count));
    copy_matrix(m, n, A, lda, copy.data(), leading);
    const char letter = has_vectors ? 'S' : 'N';
    const auto info = lapack::gesvd(letter, letter, m, n, copy.data(), leading, values.data(),
                                    left.data(), leading, adjoint.data(), rows);
    std::copy_n(values.begin(), rank, S);
    if (has_vectors) {
        copy_matrix(m, rank, left.data(), leading, U, ldu);
        for (blasint j = 0; j < rank; ++j)
            for (blasint i = 0; i < n; ++i)
                V[j * ldv + i] = conjugate(adjoint[to_size(i * rows + j)]);
    }
    return static_cast<int>(info);
}

inline double square(double value) { return value * value; }
inline double square(cuDoubleComplex value) { return value.x * value.x + value.y * value.y; }
inline double widen(float value) { return value; }
inline double widen(double value) { return value; }
inline cuDoubleComplex widen(cuComplex value) { return {value.x, value.y}; }
inline cuDoubleComplex widen(cuDoubleComplex value) { return value; }
inline double scale(double value, double factor) { return value * factor; }
inline cuDoubleComplex scale(cuDoubleComplex value, double factor) {
    return {value.x * factor, value.y * factor};
}

// Returns the Frobenius norm of A - U diag(S) V^H.
template <class T, class R>
double measure_residual(blasint rank, blasint m, blasint n, const T* A, blasint lda, const R* S,
                        const T* U, blasint ldu, const T* V, blasint ldv) {
    double sum = 0;
    for (blasint j = 0; j < n; ++j)
        for (blasint i = 0; i < m; ++i) {
            auto difference = widen(A[j * lda + i]);
            for (blasint k = 0; k < rank; ++k)
                difference = subtract(
                    difference,
                    scale(multiply(widen(U[k * ldu + i]), conjugate(widen(V[k * ldv + j]))), S[k]));
            sum += square(difference);
        }
    return std::sqrt(sum);
}

// NVIDIA's function computes V, and LAPACK's its adjoint.
template <class T, class R>
cusolverStatus_t run_gesvdj(const char* name, cusolverDnHandle_t handle, cusolverEigMode_t job,
                            bool is_economic, blasint m, blasint n, T* A, blasint lda, R* S, T* U,
                            blasint ldu, T* V, blasint ldv, int* info) {
    SolverCall call(name, handle);
    const bool has_vectors = job == CUSOLVER_EIG_MODE_VECTOR;
    const auto count = std::min(m, n);
    const auto left = !has_vectors ? 0 : is_economic ? count : m;
    const auto right = !has_vectors ? 0 : is_economic ? count : n;
    call.require(is_valid(job) && m >= 0 && n >= 0 && is_leading(lda, m) &&
                 is_leading(ldu, has_vectors ? m : 1) && is_leading(ldv, has_vectors ? n : 1) &&
                 info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(m, n, lda));
        memory.writes("S", S, count);
        memory.writes("U", U, matrix_extent(m, left, ldu));
        memory.writes("V", V, matrix_extent(n, right, ldv));
        memory.writes("info", info, 1);
        if (!memory.is_valid()) return;
        const auto rows = std::max<blasint>(1, right);
        std::vector<T> adjoint(to_size(rows * std::max<blasint>(1, n)));
        const char letters = !has_vectors ? 'N' : is_economic ? 'S' : 'A';
        *info = static_cast<int>(
            lapack::gesvd(letters, letters, m, n, A, lda, S, U, ldu, adjoint.data(), rows));
        for (blasint j = 0; j < right; ++j)
            for (blasint i = 0; i < n; ++i)
                V[j * ldv + i] = conjugate(adjoint[to_size(i * rows + j)]);
    });
}

// The `rank` largest singular values of matrices in a batch, and their vectors. The matrices are
// inputs only. A program that passes `residuals`, in host memory, waits for them: they are the
// norms of A - U diag(S) V^H.
template <class T, class R>
cusolverStatus_t run_gesvda(const char* name, cusolverDnHandle_t handle, cusolverEigMode_t job,
                            blasint rank, blasint m, blasint n, const T* A, blasint lda,
                            std::int64_t stride_A, R* S, std::int64_t stride_S, T* U, blasint ldu,
                            std::int64_t stride_U, T* V, blasint ldv, std::int64_t stride_V,
                            int* info, double* residuals, blasint items) {
    SolverCall call(name, handle);
    const bool has_vectors = job == CUSOLVER_EIG_MODE_VECTOR;
    const auto columns = has_vectors ? rank : 0;
    call.require(is_valid(job) && m >= 0 && n >= 0 && rank >= 0 && rank <= std::min(m, n) &&
                 is_leading(lda, m) && items >= 1 && info != nullptr);
    call.require(stride_A >= lda * n && stride_S >= rank);
    call.require(!has_vectors || (is_leading(ldu, m) && is_leading(ldv, n) &&
                                  stride_U >= ldu * rank && stride_V >= ldv * rank));
    const auto run = [=](Memory& memory) {
        memory.reads("d_A", A, batch_extent(matrix_extent(m, n, lda), stride_A, items));
        memory.writes("d_S", S, batch_extent(rank, stride_S, items));
        memory.writes("d_U", U, batch_extent(matrix_extent(m, columns, ldu), stride_U, items));
        memory.writes("d_V", V, batch_extent(matrix_extent(n, columns, ldv), stride_V, items));
        memory.writes("d_info", info, items);
        for (blasint item = 0; item < items && memory.is_valid(); ++item) {
            const T* const own = A + item * stride_A;
            T* const own_U = has_vectors ? U + item * stride_U : nullptr;
            T* const own_V = has_vectors ? V + item * stride_V : nullptr;
            R* const own_S = S + item * stride_S;
            info[item] =
                find_largest(has_vectors, rank, m, n, own, lda, own_S, own_U, ldu, own_V, ldv);
            if (residuals != nullptr)
                residuals[item] =
                    measure_residual(columns, m, n, own, lda, own_S, own_U, ldu, own_V, ldv);
        }
    };
    return call.submit(run, residuals != nullptr);
}

// The `rank` largest singular values of a matrix, and the vectors that are requested. NVIDIA's algorithm approximates
// them by random numbers; these are exact.
template <class T, class R>
cusolverStatus_t run_gesvdr(const char* name, cusolverDnHandle_t handle, signed char jobu,
                            signed char jobv, blasint rank, blasint oversampling, blasint m,
                            blasint n, const T* A, blasint lda, R* S, T* U, blasint ldu, T* V,
                            blasint ldv, int* info) {
    SolverCall call(name, handle);
    const bool has_left = jobu == 'S', has_right = jobv == 'S';
    call.require((has_left || jobu == 'N') && (has_right || jobv == 'N') && m >= 0 && n >= 0 &&
                 rank >= 0 && oversampling >= 0 && rank + oversampling <= std::min(m, n) &&
                 is_leading(lda, m) && is_leading(ldu, has_left ? m : 1) &&
                 is_leading(ldv, has_right ? n : 1) && info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.reads("A", A, matrix_extent(m, n, lda));
        memory.writes("Srand", S, rank);
        memory.writes("Urand", U, matrix_extent(m, has_left ? rank : 0, ldu));
        memory.writes("Vrand", V, matrix_extent(n, has_right ? rank : 0, ldv));
        memory.writes("d_info", info, 1);
        if (!memory.is_valid()) return;
        const auto rows = std::max<blasint>(1, m), columns = std::max<blasint>(1, n);
        std::vector<T> left(to_size(rows * rank)), right(to_size(columns * rank));
        *info = find_largest(has_left || has_right, rank, m, n, A, lda, S, left.data(), rows,
                             right.data(), columns);
        if (has_left) copy_matrix(m, rank, left.data(), rows, U, ldu);
        if (has_right) copy_matrix(n, rank, right.data(), columns, V, ldv);
    });
}

inline void store(cuComplex* place, float real, float imaginary) { *place = {real, imaginary}; }
inline void store(cuDoubleComplex* place, double real, double imaginary) {
    *place = {real, imaginary};
}

// The eigenvalues of any square matrix, and the right eigenvectors. W is of type T, with the imaginary parts of a real
// type behind the real ones, or else of the complex type W_.
template <class T, class W_>
cusolverStatus_t run_geev(const char* name, cusolverDnHandle_t handle, cusolverEigMode_t left,
                          cusolverEigMode_t right, blasint n, T* A, blasint lda, W_* W, T* VR,
                          blasint ldvr, int* info) {
    SolverCall call(name, handle);
    const bool has_vectors = right == CUSOLVER_EIG_MODE_VECTOR;
    call.require(is_valid(left) && is_valid(right) && n >= 0 && is_leading(lda, n) &&
                 is_leading(ldvr, has_vectors ? n : 1) && info != nullptr);
    call.require_supported(left == CUSOLVER_EIG_MODE_NOVECTOR,
                           "NVIDIA's library has no left eigenvectors");
    return call.submit([=](Memory& memory) {
        constexpr bool is_same = std::is_same_v<T, W_>;
        const blasint parts = is_complex<T> || !is_same ? 1 : 2;
        memory.writes("A", A, matrix_extent(n, n, lda));
        memory.writes("W", W, parts * n);
        memory.writes("VR", VR, matrix_extent(n, has_vectors ? n : 0, ldvr));
        memory.writes("info", info, 1);
        if (!memory.is_valid()) return;
        if constexpr (is_same) {
            *info = static_cast<int>(lapack::geev(letter(right), n, A, lda, W, VR, ldvr));
        } else {
            std::vector<T> values(to_size(2 * n));
            *info =
                static_cast<int>(lapack::geev(letter(right), n, A, lda, values.data(), VR, ldvr));
            for (blasint i = 0; i < n; ++i)
                store(W + i, values[to_size(i)], values[to_size(n + i)]);
        }
    });
}

// The inverse of a triangular matrix, in its place. The other triangle is not used.
template <class T>
cusolverStatus_t run_trtri(const char* name, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                           cublasDiagType_t diag, blasint n, T* A, blasint lda, int* info) {
    SolverCall call(name, handle);
    call.require(is_valid(uplo) && is_valid(diag) && n >= 0 && is_leading(lda, n) &&
                 info != nullptr);
    return call.submit([=](Memory& memory) {
        memory.writes("A", A, matrix_extent(n, n, lda));
        memory.writes("devInfo", info, 1);
        if (memory.is_valid())
            *info = static_cast<int>(
                lapack::trtri(letter(uplo), diag == CUBLAS_DIAG_UNIT ? "U" : "N", n, A, lda));
    });
}

}  // namespace kbuild::mathlibs

#endif
