// NVIDIA's functions for one type each.
#include "cusolver/dense.hpp"

using namespace kbuild::mathlibs;

// Workspaces are accepted and not used.
#define KBUILD_CUSOLVER_SIZE(name, ...) \
    cusolverStatus_t name##_bufferSize(cusolverDnHandle_t handle, __VA_ARGS__, int* lwork) { \
        return SolverCall(#name "_bufferSize", handle).return_size(lwork); \
    }
#define KBUILD_CUSOLVER_SIZE_WITH(name, object, ...) \
    cusolverStatus_t name##_bufferSize(cusolverDnHandle_t handle, __VA_ARGS__, int* lwork, \
                                       object) { \
        return SolverCall(#name "_bufferSize", handle).return_size(lwork); \
    }
#define KBUILD_CUSOLVER_DEFINE(P, T, R, sy, orth) \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##getrf, int, int, T*, int) \
    cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, \
                                          T*, int* ipiv, int* info) { \
        return run_getrf("cusolverDn" #P "getrf", handle, m, n, A, lda, ipiv, info); \
    } \
    cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, \
                                          int n, int nrhs, const T* A, int lda, const int* ipiv, \
                                          T* B, int ldb, int* info) { \
        return run_getrs("cusolverDn" #P "getrs", handle, trans, n, nrhs, A, lda, ipiv, B, ldb, \
                         info); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##potrf, cublasFillMode_t, int, T*, int) \
    cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T* A, int lda, T*, int, int* info) { \
        return run_triangle( \
            "cusolverDn" #P "potrf", [](auto... x) { return lapack::potrf(x...); }, handle, uplo, \
            n, A, lda, info); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##potri, cublasFillMode_t, int, T*, int) \
    cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T* A, int lda, T*, int, int* info) { \
        return run_triangle( \
            "cusolverDn" #P "potri", [](auto... x) { return lapack::potri(x...); }, handle, uplo, \
            n, A, lda, info); \
    } \
    cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          int nrhs, const T* A, int lda, T* B, int ldb, \
                                          int* info) { \
        return run_potrs("cusolverDn" #P "potrs", handle, uplo, n, nrhs, A, lda, B, ldb, info); \
    } \
    cusolverStatus_t cusolverDn##P##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, \
                                                 int n, T* A[], int lda, int* info, int items) { \
        return run_potrf_batched("cusolverDn" #P "potrfBatched", handle, uplo, n, A, lda, info, \
                                 items); \
    } \
    cusolverStatus_t cusolverDn##P##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, \
                                                 int n, int nrhs, T* A[], int lda, T* B[], \
                                                 int ldb, int* info, int items) { \
        return run_potrs_batched("cusolverDn" #P "potrsBatched", handle, uplo, n, nrhs, A, lda, B, \
                                 ldb, info, items); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##geqrf, int, int, T*, int) \
    cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, \
                                          T* tau, T*, int, int* info) { \
        return run_geqrf("cusolverDn" #P "geqrf", handle, m, n, A, lda, tau, info); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##orth##gqr, int, int, int, const T*, int, const T*) \
    cusolverStatus_t cusolverDn##P##orth##gqr(cusolverDnHandle_t handle, int m, int n, int k, \
                                              T* A, int lda, const T* tau, T*, int, int* info) { \
        return run_orgqr("cusolverDn" #P #orth "gqr", handle, m, n, k, A, lda, tau, info); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##orth##mqr, cublasSideMode_t, cublasOperation_t, int, int, \
                         int, const T*, int, const T*, const T*, int) \
    cusolverStatus_t cusolverDn##P##orth##mqr( \
        cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, \
        int k, const T* A, int lda, const T* tau, T* C, int ldc, T*, int, int* info) { \
        return run_ormqr("cusolverDn" #P #orth "mqr", handle, side, trans, m, n, k, A, lda, tau, \
                         C, ldc, info); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##sy##evd, cusolverEigMode_t, cublasFillMode_t, int, \
                         const T*, int, const R*) \
    cusolverStatus_t cusolverDn##P##sy##evd(cusolverDnHandle_t handle, cusolverEigMode_t job, \
                                            cublasFillMode_t uplo, int n, T* A, int lda, R* W, T*, \
                                            int, int* info) { \
        return run_syevd("cusolverDn" #P #sy "evd", handle, job, uplo, n, A, lda, W, info); \
    } \
    KBUILD_CUSOLVER_SIZE_WITH(cusolverDn##P##sy##evj, syevjInfo_t, cusolverEigMode_t, \
                              cublasFillMode_t, int, const T*, int, const R*) \
    cusolverStatus_t cusolverDn##P##sy##evj(cusolverDnHandle_t handle, cusolverEigMode_t job, \
                                            cublasFillMode_t uplo, int n, T* A, int lda, R* W, T*, \
                                            int, int* info, syevjInfo_t) { \
        return run_syevd("cusolverDn" #P #sy "evj", handle, job, uplo, n, A, lda, W, info); \
    } \
    cusolverStatus_t cusolverDn##P##sy##evjBatched_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, \
        const R*, int* lwork, syevjInfo_t, int) { \
        return SolverCall("cusolverDn" #P #sy "evjBatched_bufferSize", handle).return_size(lwork); \
    } \
    cusolverStatus_t cusolverDn##P##sy##evjBatched( \
        cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T* A, \
        int lda, R* W, T*, int, int* info, syevjInfo_t, int items) { \
        return run_syevd("cusolverDn" #P #sy "evjBatched", handle, job, uplo, n, A, lda, W, info, \
                         items); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##sy##gvd, cusolverEigType_t, cusolverEigMode_t, \
                         cublasFillMode_t, int, const T*, int, const T*, int, const R*) \
    cusolverStatus_t cusolverDn##P##sy##gvd( \
        cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t job, \
        cublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb, R* W, T*, int, int* info) { \
        return run_sygvd("cusolverDn" #P #sy "gvd", handle, type, job, uplo, n, A, lda, B, ldb, W, \
                         info); \
    } \
    KBUILD_CUSOLVER_SIZE(cusolverDn##P##gesvd, int, int) \
    cusolverStatus_t cusolverDn##P##gesvd( \
        cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T* A, \
        int lda, R* S, T* U, int ldu, T* VT, int ldvt, T*, int, R*, int* info) { \
        return run_gesvd("cusolverDn" #P "gesvd", handle, jobu, jobvt, m, n, A, lda, S, U, ldu, \
                         VT, ldvt, info); \
    } \
    KBUILD_CUSOLVER_SIZE_WITH(cusolverDn##P##gesvdj, gesvdjInfo_t, cusolverEigMode_t, int, int, \
                              int, const T*, int, const R*, const T*, int, const T*, int) \
    cusolverStatus_t cusolverDn##P##gesvdj( \
        cusolverDnHandle_t handle, cusolverEigMode_t job, int econ, int m, int n, T* A, int lda, \
        R* S, T* U, int ldu, T* V, int ldv, T*, int, int* info, gesvdjInfo_t) { \
        return run_gesvdj("cusolverDn" #P "gesvdj", handle, job, econ != 0, m, n, A, lda, S, U, \
                          ldu, V, ldv, info); \
    } \
    cusolverStatus_t cusolverDn##P##gesvdaStridedBatched_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigMode_t, int, int, int, const T*, int, long long int, \
        const R*, long long int, const T*, int, long long int, const T*, int, long long int, \
        int* lwork, int) { \
        return SolverCall("cusolverDn" #P "gesvdaStridedBatched_bufferSize", handle) \
            .return_size(lwork); \
    } \
    cusolverStatus_t cusolverDn##P##gesvdaStridedBatched( \
        cusolverDnHandle_t handle, cusolverEigMode_t job, int rank, int m, int n, const T* A, \
        int lda, long long int strideA, R* S, long long int strideS, T* U, int ldu, \
        long long int strideU, T* V, int ldv, long long int strideV, T*, int, int* info, \
        double* residuals, int items) { \
        return run_gesvda("cusolverDn" #P "gesvdaStridedBatched", handle, job, rank, m, n, A, lda, \
                          strideA, S, strideS, U, ldu, strideU, V, ldv, strideV, info, residuals, \
                          items); \
    }
KBUILD_CUSOLVER_DEFINE(S, float, float, sy, or)
KBUILD_CUSOLVER_DEFINE(D, double, double, sy, or)
KBUILD_CUSOLVER_DEFINE(C, cuComplex, float, he, un)
KBUILD_CUSOLVER_DEFINE(Z, cuDoubleComplex, double, he, un)
