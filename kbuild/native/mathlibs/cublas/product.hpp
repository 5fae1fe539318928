// Products of matrices whose types differ.
#ifndef KBUILD_MATHLIBS_CUBLAS_PRODUCT_HPP
#define KBUILD_MATHLIBS_CUBLAS_PRODUCT_HPP

#include "cublas/blas.hpp"
#include "cublas/numbers.hpp"

#include "common/memory.hpp"

#include <cstdint>
#include <cublas_api.h>

#include <vector>

namespace kbuild::mathlibs {

// The type of C++ that a product is computed in. That of integers is exact: the sum of as many products
// of 8-bit numbers as fit in memory fits in a double.
enum class Arithmetic { unsupported, real32, real64, complex32, complex64, integer };

struct Operand {
    cudaDataType type;
    std::int64_t leading;
};

// C = alpha op(A) op(B) + beta C.
struct Product {
    cublasOperation_t transa, transb;
    std::int64_t m, n, k;
    Operand A, B, C;
    Arithmetic arithmetic;
    cudaDataType scale;  // the type of alpha and beta

    std::int64_t extent_of_A() const {
        return transa == CUBLAS_OP_N ? matrix_extent(m, k, A.leading)
                                     : matrix_extent(k, m, A.leading);
    }
    std::int64_t extent_of_B() const {
        return transb == CUBLAS_OP_N ? matrix_extent(k, n, B.leading)
                                     : matrix_extent(n, k, B.leading);
    }
    std::int64_t extent_of_C() const { return matrix_extent(m, n, C.leading); }

    bool has_valid_layout() const;
};

// Sets the arithmetic and the type of the scalars for NVIDIA's type of the computation.
void choose_arithmetic(Product& product, cublasComputeType_t compute);

// Computes the product of matrices in memory.
void multiply(const Product& product, Number alpha, const void* A, const void* B, Number beta,
              void* C);

// Calls the function with a value of the type of the arithmetic.
template <class Function>
void with_arithmetic(Arithmetic arithmetic, Function function) {
    switch (arithmetic) {
    case Arithmetic::real32: function(float()); break;
    case Arithmetic::integer:
    case Arithmetic::real64: function(double()); break;
    case Arithmetic::complex32: function(std::complex<float>()); break;
    case Arithmetic::complex64: function(std::complex<double>()); break;
    case Arithmetic::unsupported: break;
    }
}

// Computes op(A) op(B), times alpha, plus beta times what is in `sum`, which has the type of the
// arithmetic.
template <class T>
void accumulate(const Product& product, T alpha, const void* A, const void* B, T beta, T* sum,
                std::int64_t leading);

}  // namespace kbuild::mathlibs

#endif
