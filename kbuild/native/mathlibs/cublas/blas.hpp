// The BLAS, and the conversions between its types and NVIDIA's.
#ifndef KBUILD_MATHLIBS_CUBLAS_BLAS_HPP
#define KBUILD_MATHLIBS_CUBLAS_BLAS_HPP

#include <cublas_api.h>

#include <cblas.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

// scipy-openblas64 gives its functions these names, so that no other BLAS replaces them.
#define BLAS(name) scipy_cblas_##name##64_
#define LAPACK(name) scipy_##name##_64_

static_assert(sizeof(blasint) == sizeof(std::int64_t), "the BLAS must have 64-bit numbers");

extern "C" {
// Functions without a declaration in cblas.h. They have Fortran's types.
#define KBUILD_DECLARE_LAPACK(p) \
    void LAPACK(p##tpttr)(const char*, const blasint*, const void*, void*, const blasint*, \
                          blasint*); \
    void LAPACK(p##trttp)(const char*, const blasint*, const void*, const blasint*, void*, \
                          blasint*); \
    void LAPACK(p##getrf)(const blasint*, const blasint*, void*, const blasint*, blasint*, \
                          blasint*); \
    void LAPACK(p##getri)(const blasint*, void*, const blasint*, const blasint*, void*, \
                          const blasint*, blasint*); \
    void LAPACK(p##getrs)(const char*, const blasint*, const blasint*, const void*, \
                          const blasint*, const blasint*, void*, const blasint*, blasint*); \
    void LAPACK(p##geqrf)(const blasint*, const blasint*, void*, const blasint*, void*, void*, \
                          const blasint*, blasint*); \
    void LAPACK(p##gels)(const char*, const blasint*, const blasint*, const blasint*, void*, \
                         const blasint*, void*, const blasint*, void*, const blasint*, blasint*);
#define KBUILD_DECLARE_COMPLEX(p) \
    void LAPACK(p##rot)(const blasint*, void*, const blasint*, void*, const blasint*, const void*, \
                        const void*); \
    void LAPACK(p##symv)(const char*, const blasint*, const void*, const void*, const blasint*, \
                         const void*, const blasint*, const void*, void*, const blasint*); \
    void LAPACK(p##syr)(const char*, const blasint*, const void*, const void*, const blasint*, \
                        void*, const blasint*); \
    void LAPACK(p##syr2)(const char*, const blasint*, const void*, const void*, const blasint*, \
                         const void*, const blasint*, void*, const blasint*);
KBUILD_DECLARE_LAPACK(s)
KBUILD_DECLARE_LAPACK(d)
KBUILD_DECLARE_LAPACK(c)
KBUILD_DECLARE_LAPACK(z)
KBUILD_DECLARE_COMPLEX(c)
KBUILD_DECLARE_COMPLEX(z)
#undef KBUILD_DECLARE_LAPACK
#undef KBUILD_DECLARE_COMPLEX
}

namespace kbuild::mathlibs {

template <class T>
constexpr bool is_complex = std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>;

// Real types have no conjugates, so all operations are allowed.
template <class T>
bool is_valid(cublasOperation_t operation, const char* allowed) {
    if (operation != CUBLAS_OP_N && operation != CUBLAS_OP_T && operation != CUBLAS_OP_C)
        return false;
    return !is_complex<T> || std::strchr(allowed, "NTC"[operation]) != nullptr;
}
inline bool is_valid(cublasFillMode_t fill) {
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}
inline bool is_valid(cublasSideMode_t side) {
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
inline bool is_valid(cublasDiagType_t diag) {
    return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT;
}

inline CBLAS_TRANSPOSE to_blas(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N   ? CblasNoTrans
           : operation == CUBLAS_OP_T ? CblasTrans
                                      : CblasConjTrans;
}
inline CBLAS_UPLO to_blas(cublasFillMode_t fill) {
    return fill == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
inline CBLAS_SIDE to_blas(cublasSideMode_t side) {
    return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
inline CBLAS_DIAG to_blas(cublasDiagType_t diag) {
    return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
inline const char* letter(cublasFillMode_t fill) {
    return fill == CUBLAS_FILL_MODE_LOWER ? "L" : "U";
}

// The operation on the other factor of a symmetric or Hermitian product.
inline CBLAS_TRANSPOSE transpose(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? CblasTrans : CblasNoTrans;
}
inline CBLAS_TRANSPOSE adjoint(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? CblasConjTrans : CblasNoTrans;
}

// CBLAS takes real numbers by value, and complex ones by their address.
inline float pass(const float& value) { return value; }
inline double pass(const double& value) { return value; }
inline const void* pass(const cuComplex& value) { return &value; }
inline const void* pass(const cuDoubleComplex& value) { return &value; }

template <class T>
const T* address_of(const T& value) {
    return &value;
}

inline cuComplex make_complex(float value) { return {value, 0}; }
inline cuDoubleComplex make_complex(double value) { return {value, 0}; }

template <class Result, class Function, class... Arguments>
void store(Result* result, Function function, Arguments... arguments) {
    *result = function(arguments...);
}

// NVIDIA counts from 1, and returns 0 if there is no element.
template <class Index, class Function, class T>
void store_index(Index* result, Function function, blasint n, const T* x, blasint increment) {
    *result = n == 0 || increment <= 0 ? 0 : static_cast<Index>(function(n, x, increment)) + 1;
}

template <class T>
void make_diagonal_real(blasint n, T* matrix, blasint leading) {
    for (blasint i = 0; i < n; ++i) matrix[i * leading + i].y = 0;
}

template <class T>
void copy_matrix(blasint rows, blasint columns, const T* from, blasint from_leading, T* to,
                 blasint to_leading) {
    if (from == to) return;
    for (blasint j = 0; j < columns; ++j)
        std::copy_n(from + j * from_leading, rows, to + j * to_leading);
}

inline float multiply(float a, float b) { return a * b; }
inline double multiply(double a, double b) { return a * b; }
inline cuComplex multiply(cuComplex a, cuComplex b) { return cuCmulf(a, b); }
inline cuDoubleComplex multiply(cuDoubleComplex a, cuDoubleComplex b) { return cuCmul(a, b); }
inline float add(float a, float b) { return a + b; }
inline double add(double a, double b) { return a + b; }
inline cuComplex add(cuComplex a, cuComplex b) { return cuCaddf(a, b); }
inline cuDoubleComplex add(cuDoubleComplex a, cuDoubleComplex b) { return cuCadd(a, b); }
inline float subtract(float a, float b) { return a - b; }
inline double subtract(double a, double b) { return a - b; }
inline cuComplex subtract(cuComplex a, cuComplex b) { return cuCsubf(a, b); }
inline cuDoubleComplex subtract(cuDoubleComplex a, cuDoubleComplex b) { return cuCsub(a, b); }
inline float divide(float a, float b) { return a / b; }
inline double divide(double a, double b) { return a / b; }
inline cuComplex divide(cuComplex a, cuComplex b) { return cuCdivf(a, b); }
inline cuDoubleComplex divide(cuDoubleComplex a, cuDoubleComplex b) { return cuCdiv(a, b); }
inline float conjugate(float a) { return a; }
inline double conjugate(double a) { return a; }
inline cuComplex conjugate(cuComplex a) { return cuConjf(a); }
inline cuDoubleComplex conjugate(cuDoubleComplex a) { return cuConj(a); }
inline bool is_zero(float a) { return a == 0; }
inline bool is_zero(double a) { return a == 0; }
inline bool is_zero(cuComplex a) { return a.x == 0 && a.y == 0; }
inline bool is_zero(cuDoubleComplex a) { return a.x == 0 && a.y == 0; }

template <class T>
T element(cublasOperation_t operation, const T* matrix, blasint leading, blasint i, blasint j) {
    if (operation == CUBLAS_OP_N) return matrix[j * leading + i];
    const T value = matrix[i * leading + j];
    return operation == CUBLAS_OP_C ? conjugate(value) : value;
}

// C = alpha op(A) + beta op(B). A matrix with the factor 0 is not read.
template <class T>
void add_matrices(cublasOperation_t transa, cublasOperation_t transb, blasint m, blasint n, T alpha,
                  const T* A, blasint lda, T beta, const T* B, blasint ldb, T* C, blasint ldc) {
    for (blasint j = 0; j < n; ++j)
        for (blasint i = 0; i < m; ++i) {
            const T a = is_zero(alpha) ? T{} : multiply(alpha, element(transa, A, lda, i, j));
            const T b = is_zero(beta) ? T{} : multiply(beta, element(transb, B, ldb, i, j));
            C[j * ldc + i] = add(a, b);
        }
}

// C = A diag(x) or diag(x) A.
template <class T>
void scale_matrix(cublasSideMode_t side, blasint m, blasint n, const T* A, blasint lda, const T* x,
                  blasint increment, T* C, blasint ldc) {
    const blasint count = side == CUBLAS_SIDE_LEFT ? m : n;
    const T* const first = increment < 0 ? x - (count - 1) * increment : x;
    for (blasint j = 0; j < n; ++j)
        for (blasint i = 0; i < m; ++i)
            C[j * ldc + i] =
                multiply(A[j * lda + i], first[(side == CUBLAS_SIDE_LEFT ? i : j) * increment]);
}

}  // namespace kbuild::mathlibs

#endif
