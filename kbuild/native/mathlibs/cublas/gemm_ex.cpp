// Products of matrices whose types are arguments.
#include "cublas/exported.hpp"

#include "cublas/handle.hpp"
#include "cublas/product.hpp"
#include "cublas/typed_scalar.hpp"

namespace {

using namespace kbuild::mathlibs;

// Where the matrices of a batch are: at strides, or at addresses in memory of the device.
struct Strided {
    const char* A;
    const char* B;
    char* C;
    std::int64_t stride_A, stride_B, stride_C;  // in bytes

    const void* A_of(std::int64_t item) const { return A + item * stride_A; }
    const void* B_of(std::int64_t item) const { return B + item * stride_B; }
    void* C_of(std::int64_t item) const { return C + item * stride_C; }
    void check(Memory&, std::int64_t) const {}
};

struct Listed {
    const void* const* A;
    const void* const* B;
    void* const* C;

    const void* A_of(std::int64_t item) const { return A[item]; }
    const void* B_of(std::int64_t item) const { return B[item]; }
    void* C_of(std::int64_t item) const { return C[item]; }
    void check(Memory& memory, std::int64_t items) const {
        memory.reads("Aarray", A, items);
        memory.reads("Barray", B, items);
        memory.reads("Carray", C, items);
    }
};

template <class Matrices>
cublasStatus_t run(const char* name, cublasHandle_t handle, const Product& product,
                   const void* alpha, const void* beta, const Matrices& matrices,
                   std::int64_t items) {
    Call call(name, handle);
    call.require(is_valid<float>(product.transa, "NTC") && is_valid<float>(product.transb, "NTC"));
    call.require(product.has_valid_layout() && items >= 0);
    call.require(alpha != nullptr && beta != nullptr);
    call.require_supported(product.arithmetic != Arithmetic::unsupported,
                           "this combination of types is not supported");
    const TypedScalar factor(call, product.scale, alpha), own(call, product.scale, beta);
    return call.submit(false, [=] {
        Memory memory(name);
        factor.check(memory, "alpha");
        own.check(memory, "beta");
        matrices.check(memory, items);
        if (!memory.is_valid()) return;
        const auto bytes_of_C = size_of(product.C.type);
        for (std::int64_t item = 0; item < items; ++item) {
            const void* const A = matrices.A_of(item);
            const void* const B = matrices.B_of(item);
            void* const C = matrices.C_of(item);
            memory.reads("A", A, product.extent_of_A() * size_of(product.A.type));
            memory.reads("B", B, product.extent_of_B() * size_of(product.B.type));
            memory.writes("C", C, product.extent_of_C() * bytes_of_C);
            if (!memory.is_valid()) return;
            multiply(product, factor.get(), A, B, own.get(), C);
        }
    });
}

Product describe(cublasOperation_t transa, cublasOperation_t transb, std::int64_t m, std::int64_t n,
                 std::int64_t k, Operand A, Operand B, Operand C, cublasComputeType_t compute) {
    Product product = {transa, transb, m, n, k, A, B, C, Arithmetic::unsupported, CUDA_R_32F};
    choose_arithmetic(product, compute);
    return product;
}

Strided at(const void* A, const void* B, void* C) {
    return {
        static_cast<const char*>(A), static_cast<const char*>(B), static_cast<char*>(C), 0, 0, 0};
}

}  // namespace

#define KBUILD_GEMM_EX(suffix, Size) \
    cublasStatus_t cublasGemmEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const void* alpha, const void* A, cudaDataType Atype, Size lda, const void* B, \
        cudaDataType Btype, Size ldb, const void* beta, void* C, cudaDataType Ctype, Size ldc, \
        cublasComputeType_t computeType, cublasGemmAlgo_t) { \
        const auto product = describe(transa, transb, m, n, k, {Atype, lda}, {Btype, ldb}, \
                                      {Ctype, ldc}, computeType); \
        return run("cublasGemmEx" #suffix, handle, product, alpha, beta, at(A, B, C), 1); \
    } \
    cublasStatus_t cublasGemmBatchedEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const void* alpha, const void* const Aarray[], cudaDataType Atype, Size lda, \
        const void* const Barray[], cudaDataType Btype, Size ldb, const void* beta, \
        void* const Carray[], cudaDataType Ctype, Size ldc, Size batchCount, \
        cublasComputeType_t computeType, cublasGemmAlgo_t) { \
        const auto product = describe(transa, transb, m, n, k, {Atype, lda}, {Btype, ldb}, \
                                      {Ctype, ldc}, computeType); \
        return run("cublasGemmBatchedEx" #suffix, handle, product, alpha, beta, \
                   Listed{Aarray, Barray, Carray}, batchCount); \
    } \
    cublasStatus_t cublasGemmStridedBatchedEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const void* alpha, const void* A, cudaDataType Atype, Size lda, \
        long long int strideA, const void* B, cudaDataType Btype, Size ldb, long long int strideB, \
        const void* beta, void* C, cudaDataType Ctype, Size ldc, long long int strideC, \
        Size batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t) { \
        const auto product = describe(transa, transb, m, n, k, {Atype, lda}, {Btype, ldb}, \
                                      {Ctype, ldc}, computeType); \
        auto matrices = at(A, B, C); \
        matrices.stride_A = strideA * size_of(Atype); \
        matrices.stride_B = strideB * size_of(Btype); \
        matrices.stride_C = strideC * size_of(Ctype); \
        return run("cublasGemmStridedBatchedEx" #suffix, handle, product, alpha, beta, matrices, \
                   batchCount); \
    } \
    cublasStatus_t cublasSgemmEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const float* alpha, const void* A, cudaDataType Atype, Size lda, const void* B, \
        cudaDataType Btype, Size ldb, const float* beta, void* C, cudaDataType Ctype, Size ldc) { \
        return cublasGemmEx##suffix(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, \
                                    Btype, ldb, beta, C, Ctype, ldc, CUBLAS_COMPUTE_32F, \
                                    CUBLAS_GEMM_DEFAULT); \
    } \
    cublasStatus_t cublasCgemmEx##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const cuComplex* alpha, const void* A, cudaDataType Atype, Size lda, \
        const void* B, cudaDataType Btype, Size ldb, const cuComplex* beta, void* C, \
        cudaDataType Ctype, Size ldc) { \
        return cublasGemmEx##suffix(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, \
                                    Btype, ldb, beta, C, Ctype, ldc, CUBLAS_COMPUTE_32F, \
                                    CUBLAS_GEMM_DEFAULT); \
    } \
    cublasStatus_t cublasHgemm##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const __half* alpha, const __half* A, Size lda, const __half* B, Size ldb, \
        const __half* beta, __half* C, Size ldc) { \
        return cublasGemmEx##suffix(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, B, \
                                    CUDA_R_16F, ldb, beta, C, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, \
                                    CUBLAS_GEMM_DEFAULT); \
    } \
    cublasStatus_t cublasHgemmBatched##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const __half* alpha, const __half* const Aarray[], Size lda, \
        const __half* const Barray[], Size ldb, const __half* beta, __half* const Carray[], \
        Size ldc, Size batchCount) { \
        return cublasGemmBatchedEx##suffix( \
            handle, transa, transb, m, n, k, alpha, reinterpret_cast<const void* const*>(Aarray), \
            CUDA_R_16F, lda, reinterpret_cast<const void* const*>(Barray), CUDA_R_16F, ldb, beta, \
            reinterpret_cast<void* const*>(Carray), CUDA_R_16F, ldc, batchCount, \
            CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT); \
    } \
    cublasStatus_t cublasHgemmStridedBatched##suffix( \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, \
        Size k, const __half* alpha, const __half* A, Size lda, long long int strideA, \
        const __half* B, Size ldb, long long int strideB, const __half* beta, __half* C, Size ldc, \
        long long int strideC, Size batchCount) { \
        return cublasGemmStridedBatchedEx##suffix( \
            handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, strideA, B, CUDA_R_16F, \
            ldb, strideB, beta, C, CUDA_R_16F, ldc, strideC, batchCount, CUBLAS_COMPUTE_16F, \
            CUBLAS_GEMM_DEFAULT); \
    }

KBUILD_GEMM_EX(, int)
KBUILD_GEMM_EX(_64, int64_t)
