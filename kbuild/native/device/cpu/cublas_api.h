/* cuBLAS on the CPU, with NVIDIA's names and values.
 *
 * Source: NVIDIA's documentation of cuBLAS 13 (https://docs.nvidia.com/cuda/cublas/).  The reference of
 * kbuild lists what each function does. */
/* Programs check the name of the guard to find out whether the header is included. */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_

#include <math.h> /* NVIDIA's cuComplex.h includes it, too */
#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "driver_types.h"
#include "library_types.h"

#pragma GCC system_header

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

#define CUBLASWINAPI
#define CUBLASAPI

#ifdef __cplusplus
extern "C" {
#endif

/* Kernel sources can be without the host API, which declares the type, too. */
typedef struct CUstream_st* cudaStream_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

/* All algorithms are the same here. */
#define KBUILD_CPU_CUBLAS_ALGORITHM(n) CUBLAS_GEMM_ALGO##n = n
#define KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(n) CUBLAS_GEMM_ALGO##n##_TENSOR_OP = 100 + n
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    KBUILD_CPU_CUBLAS_ALGORITHM(0),
    KBUILD_CPU_CUBLAS_ALGORITHM(1),
    KBUILD_CPU_CUBLAS_ALGORITHM(2),
    KBUILD_CPU_CUBLAS_ALGORITHM(3),
    KBUILD_CPU_CUBLAS_ALGORITHM(4),
    KBUILD_CPU_CUBLAS_ALGORITHM(5),
    KBUILD_CPU_CUBLAS_ALGORITHM(6),
    KBUILD_CPU_CUBLAS_ALGORITHM(7),
    KBUILD_CPU_CUBLAS_ALGORITHM(8),
    KBUILD_CPU_CUBLAS_ALGORITHM(9),
    KBUILD_CPU_CUBLAS_ALGORITHM(10),
    KBUILD_CPU_CUBLAS_ALGORITHM(11),
    KBUILD_CPU_CUBLAS_ALGORITHM(12),
    KBUILD_CPU_CUBLAS_ALGORITHM(13),
    KBUILD_CPU_CUBLAS_ALGORITHM(14),
    KBUILD_CPU_CUBLAS_ALGORITHM(15),
    KBUILD_CPU_CUBLAS_ALGORITHM(16),
    KBUILD_CPU_CUBLAS_ALGORITHM(17),
    KBUILD_CPU_CUBLAS_ALGORITHM(18),
    KBUILD_CPU_CUBLAS_ALGORITHM(19),
    KBUILD_CPU_CUBLAS_ALGORITHM(20),
    KBUILD_CPU_CUBLAS_ALGORITHM(21),
    KBUILD_CPU_CUBLAS_ALGORITHM(22),
    KBUILD_CPU_CUBLAS_ALGORITHM(23),
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(0),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(1),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(2),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(3),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(4),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(5),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(6),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(7),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(8),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(9),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(10),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(11),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(12),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(13),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(14),
    KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM(15),
    CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;
#undef KBUILD_CPU_CUBLAS_ALGORITHM
#undef KBUILD_CPU_CUBLAS_TENSOR_ALGORITHM

typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef cudaDataType cublasDataType_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;

struct cublasContext;
typedef struct cublasContext* cublasHandle_t;
typedef void (*cublasLogCallback)(const char* msg);

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace,
                                     size_t workspaceSizeInBytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* streamId);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* smCountTarget);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr,
                                     const char* logFileName);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback* userCallback);
void cublasXerbla(const char* srName, int info);

/* Each function has a form for 32-bit and one for 64-bit numbers. */
#define KBUILD_CPU_CUBLAS_DECLARE(suffix, Size) \
    cublasStatus_t cublasSetVector##suffix(Size n, Size elemSize, const void* x, Size incx, \
                                           void* devicePtr, Size incy); \
    cublasStatus_t cublasGetVector##suffix(Size n, Size elemSize, const void* x, Size incx, \
                                           void* y, Size incy); \
    cublasStatus_t cublasSetMatrix##suffix(Size rows, Size cols, Size elemSize, const void* A, \
                                           Size lda, void* B, Size ldb); \
    cublasStatus_t cublasGetMatrix##suffix(Size rows, Size cols, Size elemSize, const void* A, \
                                           Size lda, void* B, Size ldb); \
    cublasStatus_t cublasSetVectorAsync##suffix(Size n, Size elemSize, const void* hostPtr, \
                                                Size incx, void* devicePtr, Size incy, \
                                                cudaStream_t stream); \
    cublasStatus_t cublasGetVectorAsync##suffix(Size n, Size elemSize, const void* devicePtr, \
                                                Size incx, void* hostPtr, Size incy, \
                                                cudaStream_t stream); \
    cublasStatus_t cublasSetMatrixAsync##suffix(Size rows, Size cols, Size elemSize, \
                                                const void* A, Size lda, void* B, Size ldb, \
                                                cudaStream_t stream); \
    cublasStatus_t cublasGetMatrixAsync##suffix(Size rows, Size cols, Size elemSize, \
                                                const void* A, Size lda, void* B, Size ldb, \
                                                cudaStream_t stream); \
    cublasStatus_t cublasGemmEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const void* alpha, const void* A, cudaDataType Atype, Size lda, const void* B, \
        cudaDataType Btype, Size ldb, const void* beta, void* C, cudaDataType Ctype, Size ldc, \
        cublasComputeType_t computeType, cublasGemmAlgo_t algo); \
    cublasStatus_t cublasGemmBatchedEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const void* alpha, const void* const Aarray[], cudaDataType Atype, Size lda, \
        const void* const Barray[], cudaDataType Btype, Size ldb, const void* beta, \
        void* const Carray[], cudaDataType Ctype, Size ldc, Size batchCount, \
        cublasComputeType_t computeType, cublasGemmAlgo_t algo); \
    cublasStatus_t cublasGemmStridedBatchedEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const void* alpha, const void* A, cudaDataType Atype, Size lda, \
        long long int strideA, const void* B, cudaDataType Btype, Size ldb, long long int strideB, \
        const void* beta, void* C, cudaDataType Ctype, Size ldc, long long int strideC, \
        Size batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo); \
    cublasStatus_t cublasSgemmEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const float* alpha, const void* A, cudaDataType Atype, Size lda, const void* B, \
        cudaDataType Btype, Size ldb, const float* beta, void* C, cudaDataType Ctype, Size ldc); \
    cublasStatus_t cublasCgemmEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const cuComplex* alpha, const void* A, cudaDataType Atype, Size lda, \
        const void* B, cudaDataType Btype, Size ldb, const cuComplex* beta, void* C, \
        cudaDataType Ctype, Size ldc); \
    cublasStatus_t cublasScalEx##suffix(cublasHandle_t handle, Size n, const void* alpha, \
                                        cudaDataType alphaType, void* x, cudaDataType xType, \
                                        Size incx, cudaDataType executionType); \
    cublasStatus_t cublasAxpyEx##suffix(cublasHandle_t handle, Size n, const void* alpha, \
                                        cudaDataType alphaType, const void* x, cudaDataType xType, \
                                        Size incx, void* y, cudaDataType yType, Size incy, \
                                        cudaDataType executionType); \
    cublasStatus_t cublasDotEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                       cudaDataType xType, Size incx, const void* y, \
                                       cudaDataType yType, Size incy, void* result, \
                                       cudaDataType resultType, cudaDataType executionType); \
    cublasStatus_t cublasDotcEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, const void* y, \
                                        cudaDataType yType, Size incy, void* result, \
                                        cudaDataType resultType, cudaDataType executionType); \
    cublasStatus_t cublasNrm2Ex##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, void* result, \
                                        cudaDataType resultType, cudaDataType executionType); \
    cublasStatus_t cublasAsumEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, void* result, \
                                        cudaDataType resultType, cudaDataType executionType); \
    cublasStatus_t cublasIamaxEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                         cudaDataType xType, Size incx, Size* result); \
    cublasStatus_t cublasIaminEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                         cudaDataType xType, Size incx, Size* result); \
    cublasStatus_t cublasCopyEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, void* y, \
                                        cudaDataType yType, Size incy); \
    cublasStatus_t cublasSwapEx##suffix(cublasHandle_t handle, Size n, void* x, \
                                        cudaDataType xType, Size incx, void* y, \
                                        cudaDataType yType, Size incy); \
    cublasStatus_t cublasRotEx##suffix(cublasHandle_t handle, Size n, void* x, cudaDataType xType, \
                                       Size incx, void* y, cudaDataType yType, Size incy, \
                                       const void* c, const void* s, cudaDataType csType, \
                                       cudaDataType executionType); \
    cublasStatus_t cublasRotmEx##suffix(cublasHandle_t handle, Size n, void* x, \
                                        cudaDataType xType, Size incx, void* y, \
                                        cudaDataType yType, Size incy, const void* param, \
                                        cudaDataType paramType, cudaDataType executionType);
KBUILD_CPU_CUBLAS_DECLARE(, int)
KBUILD_CPU_CUBLAS_DECLARE(_64, int64_t)
#undef KBUILD_CPU_CUBLAS_DECLARE
cublasStatus_t cublasRotgEx(cublasHandle_t handle, void* a, void* b, cudaDataType abType, void* c,
                            void* s, cudaDataType csType, cudaDataType executionType);
cublasStatus_t cublasRotmgEx(cublasHandle_t handle, void* d1, cudaDataType d1Type, void* d2,
                             cudaDataType d2Type, void* x1, cudaDataType x1Type, const void* y1,
                             cudaDataType y1Type, void* param, cudaDataType paramType,
                             cudaDataType executionType);

/* Factorizations of many matrices. */
#define KBUILD_CPU_CUBLAS_DECLARE(P, T) \
    cublasStatus_t cublas##P##getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, \
                                           int* P_, int* info, int batchSize); \
    cublasStatus_t cublas##P##getriBatched(cublasHandle_t handle, int n, const T* const A[], \
                                           int lda, const int* P_, T* const C[], int ldc, \
                                           int* info, int batchSize); \
    cublasStatus_t cublas##P##getrsBatched( \
        cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T* const Aarray[], \
        int lda, const int* devIpiv, T* const Barray[], int ldb, int* info, int batchSize); \
    cublasStatus_t cublas##P##matinvBatched(cublasHandle_t handle, int n, const T* const A[], \
                                            int lda, T* const Ainv[], int lda_inv, int* info, \
                                            int batchSize); \
    cublasStatus_t cublas##P##geqrfBatched(cublasHandle_t handle, int m, int n, T* const Aarray[], \
                                           int lda, T* const TauArray[], int* info, \
                                           int batchSize); \
    cublasStatus_t cublas##P##gelsBatched( \
        cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, T* const Aarray[], \
        int lda, T* const Carray[], int ldc, int* info, int* devInfoArray, int batchSize);
KBUILD_CPU_CUBLAS_DECLARE(S, float)
KBUILD_CPU_CUBLAS_DECLARE(D, double)
KBUILD_CPU_CUBLAS_DECLARE(C, cuComplex)
KBUILD_CPU_CUBLAS_DECLARE(Z, cuDoubleComplex)
#undef KBUILD_CPU_CUBLAS_DECLARE

#include "kbuild_cpu/mathlibs/cublas_functions.h"

#ifdef __cplusplus
#define KBUILD_CPU_CUBLAS_DECLARE(suffix, Size) \
    cublasStatus_t cublasHgemm##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const __half* alpha, const __half* A, Size lda, const __half* B, Size ldb, \
        const __half* beta, __half* C, Size ldc); \
    cublasStatus_t cublasHgemmBatched##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const __half* alpha, const __half* const Aarray[], Size lda, \
        const __half* const Barray[], Size ldb, const __half* beta, __half* const Carray[], \
        Size ldc, Size batchCount); \
    cublasStatus_t cublasHgemmStridedBatched##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const __half* alpha, const __half* A, Size lda, long long int strideA, \
        const __half* B, Size ldb, long long int strideB, const __half* beta, __half* C, Size ldc, \
        long long int strideC, Size batchCount);
KBUILD_CPU_CUBLAS_DECLARE(, int)
KBUILD_CPU_CUBLAS_DECLARE(_64, int64_t)
#undef KBUILD_CPU_CUBLAS_DECLARE
}

/* Until CUDA 11, the type of the computation was a type of data.  C++ code can still write it so. */
static inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t handle,
                                                      cudaDataType_t dataType,
                                                      cublasComputeType_t* computeType) {
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    const cublasStatus_t status = cublasGetMathMode(handle, &mode);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const bool is_pedantic = (mode & 0xf) == CUBLAS_PEDANTIC_MATH;
    switch (dataType) {
    case CUDA_R_32F:
    case CUDA_C_32F:
        *computeType = is_pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_64F:
    case CUDA_C_64F:
        *computeType = is_pedantic ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F;
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_16F:
        *computeType = is_pedantic ? CUBLAS_COMPUTE_16F_PEDANTIC : CUBLAS_COMPUTE_16F;
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_32I:
        *computeType = is_pedantic ? CUBLAS_COMPUTE_32I_PEDANTIC : CUBLAS_COMPUTE_32I;
        return CUBLAS_STATUS_SUCCESS;
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}
#define KBUILD_CPU_CUBLAS_MIGRATE(name, parameters, ...) \
    static inline cublasStatus_t name parameters { \
        cublasComputeType_t migrated = CUBLAS_COMPUTE_32F; \
        const cublasStatus_t status = cublasMigrateComputeType(handle, computeType, &migrated); \
        return status == CUBLAS_STATUS_SUCCESS ? name(__VA_ARGS__, migrated, algo) : status; \
    }
KBUILD_CPU_CUBLAS_MIGRATE(
    cublasGemmEx,
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
     const void* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
     cudaDataType Btype, int ldb, const void* beta, void* C, cudaDataType Ctype, int ldc,
     cudaDataType computeType, cublasGemmAlgo_t algo),
    handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc)
KBUILD_CPU_CUBLAS_MIGRATE(cublasGemmBatchedEx,
                          (cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const void* alpha,
                           const void* const Aarray[], cudaDataType Atype, int lda,
                           const void* const Barray[], cudaDataType Btype, int ldb,
                           const void* beta, void* const Carray[], cudaDataType Ctype, int ldc,
                           int batchCount, cudaDataType computeType, cublasGemmAlgo_t algo),
                          handle, transa, transb, m, n, k, alpha, Aarray, Atype, lda, Barray, Btype,
                          ldb, beta, Carray, Ctype, ldc, batchCount)
KBUILD_CPU_CUBLAS_MIGRATE(cublasGemmStridedBatchedEx,
                          (cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const void* alpha,
                           const void* A, cudaDataType Atype, int lda, long long int strideA,
                           const void* B, cudaDataType Btype, int ldb, long long int strideB,
                           const void* beta, void* C, cudaDataType Ctype, int ldc,
                           long long int strideC, int batchCount, cudaDataType computeType,
                           cublasGemmAlgo_t algo),
                          handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype,
                          ldb, strideB, beta, C, Ctype, ldc, strideC, batchCount)
#undef KBUILD_CPU_CUBLAS_MIGRATE
#endif

#endif
