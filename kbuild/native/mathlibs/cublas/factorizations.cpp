// LU and QR factorizations of many matrices, and what uses them.
#include "cublas/exported.hpp"

#include "cublas/handle.hpp"
#include "cublas/pivots.hpp"

#include <vector>

namespace {

using namespace kbuild::mathlibs;

std::size_t to_size(std::int64_t number) { return static_cast<std::size_t>(number); }

template <class T, auto factorize>
int invert_triangles(std::int64_t n, T* A, std::int64_t lda, std::vector<blasint>& pivots) {
    blasint info = 0;
    const blasint order = n, leading = lda, size = std::max<blasint>(1, n * 64);
    std::vector<T> work(to_size(size));
    factorize(&order, A, &leading, pivots.data(), work.data(), &size, &info);
    return static_cast<int>(info);
}

template <class T, auto getrf>
blasint call_getrf(blasint m, blasint n, T* A, blasint lda, blasint* pivots) {
    blasint info = 0;
    getrf(&m, &n, A, &lda, pivots, &info);
    return info;
}

std::int64_t count_pivots(const int* pivots, int n, int items) {
    return pivots == nullptr ? 0 : std::int64_t{n} * items;
}
// Returns the pivots of one matrix of a batch.
template <class Index>
Index* find_pivots(Index* pivots, int n, int item) {
    return pivots == nullptr ? nullptr : pivots + std::int64_t{item} * n;
}

template <class T, auto getrf>
cublasStatus_t run_getrf(const char* name, cublasHandle_t handle, int n, T* const A[], int lda,
                         int* P, int* info, int items) {
    Call call(name, handle);
    call.require(n >= 0 && lda >= std::max(1, n) && items >= 0 && info != nullptr);
    return call.submit(false, [=] {
        Memory memory(name);
        memory.reads("A", A, items);
        memory.writes("PivotArray", P, count_pivots(P, n, items));
        memory.writes("infoArray", info, items);
        for (int item = 0; item < items && memory.is_valid(); ++item) {
            memory.writes("A", A[item], matrix_extent(n, n, lda));
            if (!memory.is_valid()) return;
            info[item] =
                factorize_lu(call_getrf<T, getrf>, n, n, A[item], lda, find_pivots(P, n, item));
        }
    });
}

template <class T, auto getri>
cublasStatus_t run_getri(const char* name, cublasHandle_t handle, int n, const T* const A[],
                         int lda, const int* P, T* const C[], int ldc, int* info, int items) {
    Call call(name, handle);
    call.require(n >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n) && items >= 0 &&
                 info != nullptr);
    return call.submit(false, [=] {
        Memory memory(name);
        memory.reads("A", A, items);
        memory.reads("C", C, items);
        memory.reads("PivotArray", P, count_pivots(P, n, items));
        memory.writes("infoArray", info, items);
        for (int item = 0; item < items && memory.is_valid(); ++item) {
            memory.reads("A", A[item], matrix_extent(n, n, lda));
            memory.writes("C", C[item], matrix_extent(n, n, ldc));
            if (!memory.is_valid()) return;
            copy_matrix(n, n, A[item], lda, C[item], ldc);
            auto pivots = read_pivots(find_pivots(P, n, item), n);
            info[item] = invert_triangles<T, getri>(n, C[item], ldc, pivots);
        }
    });
}

template <class T, auto getrf, auto getri>
cublasStatus_t run_matinv(const char* name, cublasHandle_t handle, int n, const T* const A[],
                          int lda, T* const C[], int ldc, int* info, int items) {
    Call call(name, handle);
    call.require(n >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n) && items >= 0 &&
                 info != nullptr);
    call.require(n <= 32);  // as NVIDIA's
    return call.submit(false, [=] {
        Memory memory(name);
        memory.reads("A", A, items);
        memory.reads("Ainv", C, items);
        memory.writes("info", info, items);
        for (int item = 0; item < items && memory.is_valid(); ++item) {
            memory.reads("A", A[item], matrix_extent(n, n, lda));
            memory.writes("Ainv", C[item], matrix_extent(n, n, ldc));
            if (!memory.is_valid()) return;
            copy_matrix(n, n, A[item], lda, C[item], ldc);
            std::vector<blasint> pivots(to_size(n));
            info[item] = factorize_lu(call_getrf<T, getrf>, n, n, C[item], ldc, pivots.data());
            if (info[item] == 0) info[item] = invert_triangles<T, getri>(n, C[item], ldc, pivots);
        }
    });
}

// NVIDIA's `info` of these functions is on the host, and says which argument is invalid.
cublasStatus_t reject(int* info, int argument) {
    if (info != nullptr) *info = -argument;
    return CUBLAS_STATUS_INVALID_VALUE;
}

template <class T, auto getrs>
cublasStatus_t run_getrs(const char* name, cublasHandle_t handle, cublasOperation_t trans, int n,
                         int nrhs, const T* const A[], int lda, const int* P, T* const B[], int ldb,
                         int* info, int items) {
    Call call(name, handle);
    if (!call.is_accepted()) return call.status();
    if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_valid<T>(trans, "NTC")) return reject(info, 1);
    if (n < 0) return reject(info, 2);
    if (nrhs < 0) return reject(info, 3);
    if (lda < std::max(1, n)) return reject(info, 5);
    if (ldb < std::max(1, n)) return reject(info, 8);
    if (items < 0) return reject(info, 10);
    *info = 0;
    return call.submit(false, [=] {
        Memory memory(name);
        memory.reads("Aarray", A, items);
        memory.reads("Barray", B, items);
        memory.reads("devIpiv", P, count_pivots(P, n, items));
        for (int item = 0; item < items && memory.is_valid(); ++item) {
            memory.reads("A", A[item], matrix_extent(n, n, lda));
            memory.writes("B", B[item], matrix_extent(n, nrhs, ldb));
            if (!memory.is_valid()) return;
            auto pivots = read_pivots(find_pivots(P, n, item), n);
            const blasint order = n, sides = nrhs, leading = lda, own = ldb;
            blasint ignored = 0;  // the arguments are valid
            getrs(&"NTC"[trans], &order, &sides, A[item], &leading, pivots.data(), B[item], &own,
                  &ignored);
        }
    });
}

template <class T, auto geqrf>
cublasStatus_t run_geqrf(const char* name, cublasHandle_t handle, int m, int n, T* const A[],
                         int lda, T* const tau[], int* info, int items) {
    Call call(name, handle);
    if (!call.is_accepted()) return call.status();
    if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (m < 0) return reject(info, 1);
    if (n < 0) return reject(info, 2);
    if (lda < std::max(1, m)) return reject(info, 4);
    if (items < 0) return reject(info, 7);
    *info = 0;
    return call.submit(false, [=] {
        Memory memory(name);
        memory.reads("Aarray", A, items);
        memory.reads("TauArray", tau, items);
        const blasint rows = m, columns = n, leading = lda, size = std::max(1, n) * 64;
        std::vector<T> work(to_size(size));
        for (int item = 0; item < items && memory.is_valid(); ++item) {
            memory.writes("A", A[item], matrix_extent(m, n, lda));
            memory.writes("Tau", tau[item], std::min(m, n));
            if (!memory.is_valid()) return;
            blasint ignored = 0;  // the arguments are valid
            geqrf(&rows, &columns, A[item], &leading, tau[item], work.data(), &size, &ignored);
        }
    });
}

template <class T, auto gels>
cublasStatus_t run_gels(const char* name, cublasHandle_t handle, cublasOperation_t trans, int m,
                        int n, int nrhs, T* const A[], int lda, T* const C[], int ldc, int* info,
                        int* statuses, int items) {
    Call call(name, handle);
    if (!call.is_accepted()) return call.status();
    if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    // As NVIDIA's, which solves overdetermined systems only.
    call.require_supported(trans == CUBLAS_OP_N && m >= n,
                           "only CUBLAS_OP_N with at least as many rows as columns is supported");
    if (m < 0) return reject(info, 2);
    if (n < 0) return reject(info, 3);
    if (nrhs < 0) return reject(info, 4);
    if (lda < std::max(1, m)) return reject(info, 6);
    if (ldc < std::max(1, m)) return reject(info, 8);
    if (items < 0) return reject(info, 11);
    *info = 0;
    return call.submit(false, [=] {
        Memory memory(name);
        memory.reads("Aarray", A, items);
        memory.reads("Carray", C, items);
        if (statuses != nullptr) memory.writes("devInfoArray", statuses, items);
        const blasint rows = m, columns = n, sides = nrhs, leading = lda, own = ldc;
        const blasint size = std::max(1, m + n + nrhs) * std::int64_t{64};
        std::vector<T> work(to_size(size));
        for (int item = 0; item < items && memory.is_valid(); ++item) {
            memory.writes("A", A[item], matrix_extent(m, n, lda));
            memory.writes("C", C[item], matrix_extent(m, nrhs, ldc));
            if (!memory.is_valid()) return;
            blasint status = 0;
            gels("N", &rows, &columns, &sides, A[item], &leading, C[item], &own, work.data(), &size,
                 &status);
            if (statuses != nullptr) statuses[item] = static_cast<int>(status);
        }
    });
}

}  // namespace

#define KBUILD_FACTORIZATIONS(P, p, T) \
    cublasStatus_t cublas##P##getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, \
                                           int* pivots, int* info, int batchSize) { \
        return run_getrf<T, LAPACK(p##getrf)>("cublas" #P "getrfBatched", handle, n, A, lda, \
                                              pivots, info, batchSize); \
    } \
    cublasStatus_t cublas##P##getriBatched(cublasHandle_t handle, int n, const T* const A[], \
                                           int lda, const int* pivots, T* const C[], int ldc, \
                                           int* info, int batchSize) { \
        return run_getri<T, LAPACK(p##getri)>("cublas" #P "getriBatched", handle, n, A, lda, \
                                              pivots, C, ldc, info, batchSize); \
    } \
    cublasStatus_t cublas##P##getrsBatched( \
        cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T* const A[], \
        int lda, const int* pivots, T* const B[], int ldb, int* info, int batchSize) { \
        return run_getrs<T, LAPACK(p##getrs)>("cublas" #P "getrsBatched", handle, trans, n, nrhs, \
                                              A, lda, pivots, B, ldb, info, batchSize); \
    } \
    cublasStatus_t cublas##P##matinvBatched(cublasHandle_t handle, int n, const T* const A[], \
                                            int lda, T* const Ainv[], int lda_inv, int* info, \
                                            int batchSize) { \
        return run_matinv<T, LAPACK(p##getrf), LAPACK(p##getri)>( \
            "cublas" #P "matinvBatched", handle, n, A, lda, Ainv, lda_inv, info, batchSize); \
    } \
    cublasStatus_t cublas##P##geqrfBatched(cublasHandle_t handle, int m, int n, T* const A[], \
                                           int lda, T* const tau[], int* info, int batchSize) { \
        return run_geqrf<T, LAPACK(p##geqrf)>("cublas" #P "geqrfBatched", handle, m, n, A, lda, \
                                              tau, info, batchSize); \
    } \
    cublasStatus_t cublas##P##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, \
                                          int n, int nrhs, T* const A[], int lda, T* const C[], \
                                          int ldc, int* info, int* statuses, int batchSize) { \
        return run_gels<T, LAPACK(p##gels)>("cublas" #P "gelsBatched", handle, trans, m, n, nrhs, \
                                            A, lda, C, ldc, info, statuses, batchSize); \
    }

KBUILD_FACTORIZATIONS(S, s, float)
KBUILD_FACTORIZATIONS(D, d, double)
KBUILD_FACTORIZATIONS(C, c, cuComplex)
KBUILD_FACTORIZATIONS(Z, z, cuDoubleComplex)
