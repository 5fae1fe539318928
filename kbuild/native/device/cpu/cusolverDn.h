/* cuSOLVER's functions for dense matrices on the CPU, with NVIDIA's names and values.
 *
 * Source: NVIDIA's documentation of cuSOLVER 12 (https://docs.nvidia.com/cuda/cusolver/).  The reference of
 * kbuild lists what each function does. */
#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_

#include "cuComplex.h"
#include "cublas_v2.h"
#include "cusolver_common.h"
#include "driver_types.h"

#include <stdint.h>

#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct cusolverDnParams* cusolverDnParams_t;
typedef struct syevjInfo* syevjInfo_t;
typedef struct gesvdjInfo* gesvdjInfo_t;

typedef enum {
    CUSOLVERDN_GETRF = 0,
    CUSOLVERDN_POTRF = 1,
    CUSOLVERDN_SYEVBATCHED = 2
} cusolverDnFunction_t;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream);
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t mode);
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t* mode);

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm);

cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort_eig);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info,
                                             double* residual);
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info,
                                           int* executed_sweeps);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort_svd);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info,
                                              double* residual);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info,
                                            int* executed_sweeps);

/* P: the prefix; T and R: the types of elements and of real numbers; sy and orth: sy and or, or he and un. */
#define KBUILD_CUSOLVER_DECLARE(P, T, R, sy, orth) \
    cusolverStatus_t cusolverDn##P##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, \
                                                     T* A, int lda, int* lwork); \
    cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, \
                                          T* work, int* ipiv, int* info); \
    cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, \
                                          int n, int nrhs, const T* A, int lda, const int* ipiv, \
                                          T* B, int ldb, int* info); \
    cusolverStatus_t cusolverDn##P##potrf_bufferSize( \
        cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, int* lwork); \
    cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T* A, int lda, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          int nrhs, const T* A, int lda, T* B, int ldb, \
                                          int* info); \
    cusolverStatus_t cusolverDn##P##potri_bufferSize( \
        cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, int* lwork); \
    cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T* A, int lda, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##P##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, \
                                                 int n, T* A[], int lda, int* info, int items); \
    cusolverStatus_t cusolverDn##P##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, \
                                                 int n, int nrhs, T* A[], int lda, T* B[], \
                                                 int ldb, int* info, int items); \
    cusolverStatus_t cusolverDn##P##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, \
                                                     T* A, int lda, int* lwork); \
    cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, \
                                          T* tau, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##P##orth##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, \
                                                         int k, const T* A, int lda, const T* tau, \
                                                         int* lwork); \
    cusolverStatus_t cusolverDn##P##orth##gqr(cusolverDnHandle_t handle, int m, int n, int k, \
                                              T* A, int lda, const T* tau, T* work, int lwork, \
                                              int* info); \
    cusolverStatus_t cusolverDn##P##orth##mqr_bufferSize( \
        cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, \
        int k, const T* A, int lda, const T* tau, const T* C, int ldc, int* lwork); \
    cusolverStatus_t cusolverDn##P##orth##mqr( \
        cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, \
        int k, const T* A, int lda, const T* tau, T* C, int ldc, T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##P##sy##evd_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, \
        const T* A, int lda, const R* W, int* lwork); \
    cusolverStatus_t cusolverDn##P##sy##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, \
                                            cublasFillMode_t uplo, int n, T* A, int lda, R* W, \
                                            T* work, int lwork, int* info); \
    cusolverStatus_t cusolverDn##P##sy##evj_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, \
        const T* A, int lda, const R* W, int* lwork, syevjInfo_t params); \
    cusolverStatus_t cusolverDn##P##sy##evj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, \
                                            cublasFillMode_t uplo, int n, T* A, int lda, R* W, \
                                            T* work, int lwork, int* info, syevjInfo_t params); \
    cusolverStatus_t cusolverDn##P##sy##evjBatched_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, \
        const T* A, int lda, const R* W, int* lwork, syevjInfo_t params, int items); \
    cusolverStatus_t cusolverDn##P##sy##evjBatched( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, \
        int lda, R* W, T* work, int lwork, int* info, syevjInfo_t params, int items); \
    cusolverStatus_t cusolverDn##P##sy##gvd_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, \
        cublasFillMode_t uplo, int n, const T* A, int lda, const T* B, int ldb, const R* W, \
        int* lwork); \
    cusolverStatus_t cusolverDn##P##sy##gvd(cusolverDnHandle_t handle, cusolverEigType_t itype, \
                                            cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, \
                                            T* A, int lda, T* B, int ldb, R* W, T* work, \
                                            int lwork, int* info); \
    cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, \
                                                     int* lwork); \
    cusolverStatus_t cusolverDn##P##gesvd( \
        cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T* A, \
        int lda, R* S, T* U, int ldu, T* VT, int ldvt, T* work, int lwork, R* rwork, int* info); \
    cusolverStatus_t cusolverDn##P##gesvdj_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, const T* A, \
        int lda, const R* S, const T* U, int ldu, const T* V, int ldv, int* lwork, \
        gesvdjInfo_t params); \
    cusolverStatus_t cusolverDn##P##gesvdj( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, T* A, int lda, \
        R* S, T* U, int ldu, T* V, int ldv, T* work, int lwork, int* info, gesvdjInfo_t params); \
    cusolverStatus_t cusolverDn##P##gesvdaStridedBatched_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T* d_A, \
        int lda, long long int strideA, const R* d_S, long long int strideS, const T* d_U, \
        int ldu, long long int strideU, const T* d_V, int ldv, long long int strideV, int* lwork, \
        int batchSize); \
    cusolverStatus_t cusolverDn##P##gesvdaStridedBatched( \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T* d_A, \
        int lda, long long int strideA, R* d_S, long long int strideS, T* d_U, int ldu, \
        long long int strideU, T* d_V, int ldv, long long int strideV, T* d_work, int lwork, \
        int* d_info, double* h_R_nrmF, int batchSize);
KBUILD_CUSOLVER_DECLARE(S, float, float, sy, or)
KBUILD_CUSOLVER_DECLARE(D, double, double, sy, or)
KBUILD_CUSOLVER_DECLARE(C, cuComplex, float, he, un)
KBUILD_CUSOLVER_DECLARE(Z, cuDoubleComplex, double, he, un)
#undef KBUILD_CUSOLVER_DECLARE

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType typeA,
                                             const void* A, int64_t lda, cudaDataType computeType,
                                             size_t* bytesOnDevice, size_t* bytesOnHost);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType typeA, void* A, int64_t lda,
                                  int64_t* ipiv, cudaDataType computeType, void* bufferOnDevice,
                                  size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost,
                                  int* info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, int64_t n, int64_t nrhs,
                                  cudaDataType typeA, const void* A, int64_t lda,
                                  const int64_t* ipiv, cudaDataType typeB, void* B, int64_t ldb,
                                  int* info);
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType typeA,
                                             const void* A, int64_t lda, cudaDataType computeType,
                                             size_t* bytesOnDevice, size_t* bytesOnHost);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType typeA, void* A,
                                  int64_t lda, cudaDataType computeType, void* bufferOnDevice,
                                  size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost,
                                  int* info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType typeA, const void* A, int64_t lda,
                                  cudaDataType typeB, void* B, int64_t ldb, int* info);
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             cublasDiagType_t diag, int64_t n, cudaDataType typeA,
                                             void* A, int64_t lda, size_t* bytesOnDevice,
                                             size_t* bytesOnHost);
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                  cublasDiagType_t diag, int64_t n, cudaDataType typeA, void* A,
                                  int64_t lda, void* bufferOnDevice, size_t bytesOnDevice,
                                  void* bufferOnHost, size_t bytesOnHost, int* info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType typeA,
                                             const void* A, int64_t lda, cudaDataType typeTau,
                                             const void* tau, cudaDataType computeType,
                                             size_t* bytesOnDevice, size_t* bytesOnHost);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType typeA, void* A, int64_t lda,
                                  cudaDataType typeTau, void* tau, cudaDataType computeType,
                                  void* bufferOnDevice, size_t bytesOnDevice, void* bufferOnHost,
                                  size_t bytesOnHost, int* info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                             int64_t n, cudaDataType typeA, const void* A,
                                             int64_t lda, cudaDataType typeW, const void* W,
                                             cudaDataType computeType, size_t* bytesOnDevice,
                                             size_t* bytesOnHost);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType typeA, void* A, int64_t lda, cudaDataType typeW,
                                  void* W, cudaDataType computeType, void* bufferOnDevice,
                                  size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost,
                                  int* info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             signed char jobu, signed char jobvt, int64_t m,
                                             int64_t n, cudaDataType typeA, const void* A,
                                             int64_t lda, cudaDataType typeS, const void* S,
                                             cudaDataType typeU, const void* U, int64_t ldu,
                                             cudaDataType typeVT, const void* VT, int64_t ldvt,
                                             cudaDataType computeType, size_t* bytesOnDevice,
                                             size_t* bytesOnHost);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  signed char jobu, signed char jobvt, int64_t m, int64_t n,
                                  cudaDataType typeA, void* A, int64_t lda, cudaDataType typeS,
                                  void* S, cudaDataType typeU, void* U, int64_t ldu,
                                  cudaDataType typeVT, void* VT, int64_t ldvt,
                                  cudaDataType computeType, void* bufferOnDevice,
                                  size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost,
                                  int* info);
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                              cusolverEigMode_t jobz, int econ, int64_t m,
                                              int64_t n, cudaDataType typeA, const void* A,
                                              int64_t lda, cudaDataType typeS, const void* S,
                                              cudaDataType typeU, const void* U, int64_t ldu,
                                              cudaDataType typeV, const void* V, int64_t ldv,
                                              cudaDataType computeType, size_t* bytesOnDevice,
                                              size_t* bytesOnHost);
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                   cusolverEigMode_t jobz, int econ, int64_t m, int64_t n,
                                   cudaDataType typeA, void* A, int64_t lda, cudaDataType typeS,
                                   void* S, cudaDataType typeU, void* U, int64_t ldu,
                                   cudaDataType typeV, void* V, int64_t ldv,
                                   cudaDataType computeType, void* bufferOnDevice,
                                   size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost,
                                   int* info, double* h_err_sigma);
cusolverStatus_t cusolverDnXgesvdr_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobv,
    int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, cudaDataType typeA, const void* A,
    int64_t lda, cudaDataType typeSrand, const void* Srand, cudaDataType typeUrand,
    const void* Urand, int64_t ldUrand, cudaDataType typeVrand, const void* Vrand, int64_t ldVrand,
    cudaDataType computeType, size_t* bytesOnDevice, size_t* bytesOnHost);
cusolverStatus_t cusolverDnXgesvdr(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobv,
    int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, cudaDataType typeA, void* A,
    int64_t lda, cudaDataType typeSrand, void* Srand, cudaDataType typeUrand, void* Urand,
    int64_t ldUrand, cudaDataType typeVrand, void* Vrand, int64_t ldVrand, cudaDataType computeType,
    void* bufferOnDevice, size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost, int* info);
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                            cusolverEigMode_t jobvl, cusolverEigMode_t jobvr,
                                            int64_t n, cudaDataType typeA, const void* A,
                                            int64_t lda, cudaDataType typeW, const void* W,
                                            cudaDataType typeVL, const void* VL, int64_t ldvl,
                                            cudaDataType typeVR, const void* VR, int64_t ldvr,
                                            cudaDataType computeType, size_t* bytesOnDevice,
                                            size_t* bytesOnHost);
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                 cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
                                 cudaDataType typeA, void* A, int64_t lda, cudaDataType typeW,
                                 void* W, cudaDataType typeVL, void* VL, int64_t ldvl,
                                 cudaDataType typeVR, void* VR, int64_t ldvr,
                                 cudaDataType computeType, void* bufferOnDevice,
                                 size_t bytesOnDevice, void* bufferOnHost, size_t bytesOnHost,
                                 int* info);

#ifdef __cplusplus
}
#endif

#endif
