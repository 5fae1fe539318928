#include "cublas/product.hpp"

#include <algorithm>

namespace kbuild::mathlibs {
namespace {

void gemm(const Product& p, float alpha, const float* A, blasint lda, const float* B, blasint ldb,
          float beta, float* C, blasint ldc) {
    BLAS(sgemm)(CblasColMajor, to_blas(p.transa), to_blas(p.transb), p.m, p.n, p.k, alpha, A, lda,
                B, ldb, beta, C, ldc);
}
void gemm(const Product& p, double alpha, const double* A, blasint lda, const double* B,
          blasint ldb, double beta, double* C, blasint ldc) {
    BLAS(dgemm)(CblasColMajor, to_blas(p.transa), to_blas(p.transb), p.m, p.n, p.k, alpha, A, lda,
                B, ldb, beta, C, ldc);
}
void gemm(const Product& p, std::complex<float> alpha, const std::complex<float>* A, blasint lda,
          const std::complex<float>* B, blasint ldb, std::complex<float> beta,
          std::complex<float>* C, blasint ldc) {
    BLAS(cgemm)(CblasColMajor, to_blas(p.transa), to_blas(p.transb), p.m, p.n, p.k, &alpha, A, lda,
                B, ldb, &beta, C, ldc);
}
void gemm(const Product& p, std::complex<double> alpha, const std::complex<double>* A, blasint lda,
          const std::complex<double>* B, blasint ldb, std::complex<double> beta,
          std::complex<double>* C, blasint ldc) {
    BLAS(zgemm)(CblasColMajor, to_blas(p.transa), to_blas(p.transb), p.m, p.n, p.k, &alpha, A, lda,
                B, ldb, &beta, C, ldc);
}

// A factor in the type of the arithmetic: the matrix itself, or a copy without gaps.
template <class T>
class Factor {
public:
    Factor(const Operand& operand, const void* matrix, std::int64_t rows, std::int64_t columns)
        : start_(static_cast<const T*>(matrix)), leading_(operand.leading) {
        with_type(operand.type, [&](auto example) {
            using From = decltype(example);
            if constexpr (!std::is_same_v<From, T> &&
                          std::is_constructible_v<T, decltype(widen(example))>)
                copy(static_cast<const From*>(matrix), operand.leading, rows, columns);
        });
    }

    const T* start() const { return start_; }
    std::int64_t leading() const { return leading_; }

private:
    template <class From>
    void copy(const From* matrix, std::int64_t leading, std::int64_t rows, std::int64_t columns) {
        copy_.resize(static_cast<std::size_t>(rows * columns));
        for (std::int64_t j = 0; j < columns; ++j)
            for (std::int64_t i = 0; i < rows; ++i)
                copy_[static_cast<std::size_t>(j * rows + i)] =
                    static_cast<T>(widen(matrix[j * leading + i]));
        start_ = copy_.data();
        leading_ = std::max<std::int64_t>(1, rows);
    }

    const T* start_;
    std::int64_t leading_;
    std::vector<T> copy_;
};

template <class T>
T to_arithmetic(Number number) {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, Number>)
        return T(static_cast<typename T::value_type>(number.real()),
                 static_cast<typename T::value_type>(number.imag()));
    else
        return static_cast<T>(number.real());
}

// Integers wrap around, as on a GPU.
void multiply_integers(const Product& p, Number alpha, const void* A, const void* B, Number beta,
                       std::int32_t* C) {
    std::vector<double> sum(static_cast<std::size_t>(p.m * p.n));
    accumulate<double>(p, 1, A, B, 0, sum.data(), std::max<std::int64_t>(1, p.m));
    const auto factor = static_cast<std::int64_t>(alpha.real());
    const auto own = static_cast<std::int64_t>(beta.real());
    for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t i = 0; i < p.m; ++i) {
            auto& element = C[j * p.C.leading + i];
            const auto product =
                static_cast<std::int64_t>(sum[static_cast<std::size_t>(j * p.m + i)]);
            const auto before = own == 0 ? 0 : static_cast<std::uint64_t>(own * element);
            element = static_cast<std::int32_t>(static_cast<std::uint32_t>(
                static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(product) + before));
        }
}

template <class T, class Result>
void multiply_converted(const Product& p, T alpha, const void* A, const void* B, T beta,
                        Result* C) {
    std::vector<T> sum(static_cast<std::size_t>(p.m * p.n));
    if (beta != T(0))
        for (std::int64_t j = 0; j < p.n; ++j)
            for (std::int64_t i = 0; i < p.m; ++i)
                sum[static_cast<std::size_t>(j * p.m + i)] =
                    static_cast<T>(widen(C[j * p.C.leading + i]));
    accumulate(p, alpha, A, B, beta, sum.data(), std::max<std::int64_t>(1, p.m));
    for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t i = 0; i < p.m; ++i)
            C[j * p.C.leading + i] = convert<Result>(sum[static_cast<std::size_t>(j * p.m + i)]);
}

// Returns the arithmetic for types of matrices, as NVIDIA's table of cublasGemmEx.
Arithmetic find_arithmetic(cublasComputeType_t compute, cudaDataType A, cudaDataType B,
                           cudaDataType C) {
    if (A != B) return Arithmetic::unsupported;
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return A == CUDA_R_16F && C == CUDA_R_16F ? Arithmetic::real32 : Arithmetic::unsupported;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return A == CUDA_R_8I && C == CUDA_R_32I ? Arithmetic::integer : Arithmetic::unsupported;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
        if (A == CUDA_R_16F || A == CUDA_R_16BF)
            return C == A || C == CUDA_R_32F ? Arithmetic::real32 : Arithmetic::unsupported;
        if (A == CUDA_R_8I && C == CUDA_R_32F) return Arithmetic::real32;
        [[fallthrough]];
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        if (A == CUDA_R_32F && C == CUDA_R_32F) return Arithmetic::real32;
        if (A == CUDA_C_32F && C == CUDA_C_32F) return Arithmetic::complex32;
        return Arithmetic::unsupported;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        if (A == CUDA_R_64F && C == CUDA_R_64F) return Arithmetic::real64;
        if (A == CUDA_C_64F && C == CUDA_C_64F) return Arithmetic::complex64;
        return Arithmetic::unsupported;
    }
    return Arithmetic::unsupported;
}

cudaDataType find_scale(Arithmetic arithmetic, cublasComputeType_t compute) {
    if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) return CUDA_R_16F;
    switch (arithmetic) {
    case Arithmetic::real64: return CUDA_R_64F;
    case Arithmetic::complex32: return CUDA_C_32F;
    case Arithmetic::complex64: return CUDA_C_64F;
    case Arithmetic::integer: return CUDA_R_32I;
    default: return CUDA_R_32F;
    }
}

}  // namespace

bool Product::has_valid_layout() const {
    const auto fits = [](const Operand& operand, std::int64_t rows) {
        return operand.leading >= std::max<std::int64_t>(1, rows);
    };
    return m >= 0 && n >= 0 && k >= 0 && fits(A, transa == CUBLAS_OP_N ? m : k) &&
           fits(B, transb == CUBLAS_OP_N ? k : n) && fits(C, m);
}

void choose_arithmetic(Product& product, cublasComputeType_t compute) {
    product.arithmetic = find_arithmetic(compute, product.A.type, product.B.type, product.C.type);
    product.scale = find_scale(product.arithmetic, compute);
}

template <class T>
void accumulate(const Product& p, T alpha, const void* A, const void* B, T beta, T* sum,
                std::int64_t leading) {
    const bool plain_A = p.transa == CUBLAS_OP_N, plain_B = p.transb == CUBLAS_OP_N;
    const Factor<T> a(p.A, A, plain_A ? p.m : p.k, plain_A ? p.k : p.m);
    const Factor<T> b(p.B, B, plain_B ? p.k : p.n, plain_B ? p.n : p.k);
    gemm(p, alpha, a.start(), a.leading(), b.start(), b.leading(), beta, sum, leading);
}
template void accumulate(const Product&, float, const void*, const void*, float, float*,
                         std::int64_t);
template void accumulate(const Product&, double, const void*, const void*, double, double*,
                         std::int64_t);
template void accumulate(const Product&, std::complex<float>, const void*, const void*,
                         std::complex<float>, std::complex<float>*, std::int64_t);
template void accumulate(const Product&, std::complex<double>, const void*, const void*,
                         std::complex<double>, std::complex<double>*, std::int64_t);

void multiply(const Product& p, Number alpha, const void* A, const void* B, Number beta, void* C) {
    if (p.arithmetic == Arithmetic::integer)
        return multiply_integers(p, alpha, A, B, beta, static_cast<std::int32_t*>(C));
    with_arithmetic(p.arithmetic, [&](auto example) {
        using T = decltype(example);
        const auto factor = to_arithmetic<T>(alpha), own = to_arithmetic<T>(beta);
        if (p.C.type == CUDA_R_16F)
            multiply_converted(p, to_arithmetic<float>(alpha), A, B, to_arithmetic<float>(beta),
                               static_cast<__half*>(C));
        else if (p.C.type == CUDA_R_16BF)
            multiply_converted(p, to_arithmetic<float>(alpha), A, B, to_arithmetic<float>(beta),
                               static_cast<__nv_bfloat16*>(C));
        else
            accumulate(p, factor, A, B, own, static_cast<T*>(C), p.C.leading);
    });
}

}  // namespace kbuild::mathlibs
