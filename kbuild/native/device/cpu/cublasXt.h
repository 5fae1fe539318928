/* cuBLASXt on the CPU, with NVIDIA's names and values: functions of cuBLAS for memory of the host, which wait.
 *
 * Source: NVIDIA's documentation of cuBLAS 13, section 4 (https://docs.nvidia.com/cuda/cublas/). */
#ifndef CUBLAS_XT_H_
#define CUBLAS_XT_H_

#include "cublas_v2.h"

#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasXtContext* cublasXtHandle_t;

typedef enum {
    CUBLASXT_PINNING_DISABLED = 0,
    CUBLASXT_PINNING_ENABLED = 1
} cublasXtPinningMemMode_t;

typedef enum {
    CUBLASXT_FLOAT = 0,
    CUBLASXT_DOUBLE = 1,
    CUBLASXT_COMPLEX = 2,
    CUBLASXT_DOUBLECOMPLEX = 3
} cublasXtOpType_t;

typedef enum {
    CUBLASXT_GEMM = 0,
    CUBLASXT_SYRK = 1,
    CUBLASXT_HERK = 2,
    CUBLASXT_SYMM = 3,
    CUBLASXT_HEMM = 4,
    CUBLASXT_TRSM = 5,
    CUBLASXT_SYR2K = 6,
    CUBLASXT_HER2K = 7,
    CUBLASXT_SPMM = 8,
    CUBLASXT_SYRKX = 9,
    CUBLASXT_HERKX = 10,
    CUBLASXT_TRMM = 11,
    CUBLASXT_ROUTINE_MAX = 12
} cublasXtBlasOp_t;

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]);
cublasStatus_t cublasXtGetNumBoards(int nbDevices, int deviceId[], int* nbBoards);
cublasStatus_t cublasXtMaxBoards(int* nbGpuBoards);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* blockDim);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinningMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinningMemMode_t* mode);
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp,
                                     cublasXtOpType_t type, void* blasFunctor);
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp,
                                   cublasXtOpType_t type, float ratio);

/* P: the prefix; T and R: the types of elements and of real numbers.  `define` has the name, how the
 * function of cuBLAS ends, the parameters, and their names. */
#define KBUILD_CUBLASXT_TYPE(define, P, T) \
    define(P##gemm, v2_64, \
           (cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, size_t m, \
            size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, \
            const T* beta, T* C, size_t ldc), \
           (transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, \
            ldc)) define(P##symm, v2_64, \
                         (cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, \
                          size_t m, size_t n, const T* alpha, const T* A, size_t lda, const T* B, \
                          size_t ldb, const T* beta, T* C, size_t ldc), \
                         (side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)) \
        define( \
            P##syrk, v2_64, \
            (cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, \
             size_t k, const T* alpha, const T* A, size_t lda, const T* beta, T* C, size_t ldc), \
            (uplo, trans, n, k, alpha, A, lda, beta, C, ldc)) \
            define(P##syr2k, v2_64, \
                   (cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
                    size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, \
                    size_t ldb, const T* beta, T* C, size_t ldc), \
                   (uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)) \
                define(P##syrkx, 64, \
                       (cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
                        size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, \
                        size_t ldb, const T* beta, T* C, size_t ldc), \
                       (uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)) \
                    define(P##trsm, v2_64, \
                           (cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, \
                            cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, \
                            const T* alpha, const T* A, size_t lda, T* B, size_t ldb), \
                           (side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb)) \
                        define(P##trmm, v2_64, \
                               (cublasXtHandle_t handle, cublasSideMode_t side, \
                                cublasFillMode_t uplo, cublasOperation_t trans, \
                                cublasDiagType_t diag, size_t m, size_t n, const T* alpha, \
                                const T* A, size_t lda, const T* B, size_t ldb, T* C, size_t ldc), \
                               (side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc))
#define KBUILD_CUBLASXT_COMPLEX(define, P, T, R) \
    define(P##hemm, v2_64, \
           (cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, \
            size_t n, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, \
            const T* beta, T* C, size_t ldc), \
           (side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)) \
        define( \
            P##herk, v2_64, \
            (cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, \
             size_t k, const R* alpha, const T* A, size_t lda, const R* beta, T* C, size_t ldc), \
            (uplo, trans, n, k, alpha, A, lda, beta, C, ldc)) \
            define(P##her2k, v2_64, \
                   (cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
                    size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, \
                    size_t ldb, const R* beta, T* C, size_t ldc), \
                   (uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)) \
                define(P##herkx, 64, \
                       (cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
                        size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, \
                        size_t ldb, const R* beta, T* C, size_t ldc), \
                       (uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc))
#define KBUILD_CUBLASXT_FUNCTIONS(define) \
    KBUILD_CUBLASXT_TYPE(define, S, float) \
    KBUILD_CUBLASXT_TYPE(define, D, double) \
    KBUILD_CUBLASXT_TYPE(define, C, cuComplex) \
    KBUILD_CUBLASXT_TYPE(define, Z, cuDoubleComplex) \
    KBUILD_CUBLASXT_COMPLEX(define, C, cuComplex, float) \
    KBUILD_CUBLASXT_COMPLEX(define, Z, cuDoubleComplex, double)

#define KBUILD_CUBLASXT_DECLARE(name, end, parameters, arguments) \
    cublasStatus_t cublasXt##name parameters;
KBUILD_CUBLASXT_FUNCTIONS(KBUILD_CUBLASXT_DECLARE)
#undef KBUILD_CUBLASXT_DECLARE

#ifdef __cplusplus
}
#endif

#endif
