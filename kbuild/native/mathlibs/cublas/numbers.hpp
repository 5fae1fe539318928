// Numbers of any type of the libraries.
#ifndef KBUILD_MATHLIBS_CUBLAS_NUMBERS_HPP
#define KBUILD_MATHLIBS_CUBLAS_NUMBERS_HPP

#include <cublas_api.h>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace kbuild::mathlibs {

// A scalar of any type. All types fit in it without rounding.
using Number = std::complex<double>;

// Calls the function with a value of the C++ type. Returns false if C++ has no such type.
template <class Function>
bool with_type(cudaDataType type, Function function) {
    switch (type) {
    case CUDA_R_16F: function(__half()); return true;
    case CUDA_R_16BF: function(__nv_bfloat16()); return true;
    case CUDA_R_32F: function(float()); return true;
    case CUDA_R_64F: function(double()); return true;
    case CUDA_C_32F: function(std::complex<float>()); return true;
    case CUDA_C_64F: function(std::complex<double>()); return true;
    case CUDA_R_8I: function(std::int8_t()); return true;
    case CUDA_R_32I: function(std::int32_t()); return true;
    default: return false;
    }
}

// Returns the bytes of an element, or 0 for a type that the library does not support.
inline std::int64_t size_of(cudaDataType type) {
    std::int64_t bytes = 0;
    with_type(type, [&](auto value) { bytes = sizeof value; });
    return bytes;
}

inline float widen(__half value) { return __half2float(value); }
inline float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
template <class T>
T widen(T value) {
    return value;
}

// Converts a number. Rounds to nearest.
template <class To, class From>
To convert(From value) {
    if constexpr (std::is_same_v<To, __half>)
        return __float2half(static_cast<float>(value));
    else if constexpr (std::is_same_v<To, __nv_bfloat16>)
        return __float2bfloat16(static_cast<float>(value));
    else
        return static_cast<To>(widen(value));
}

inline Number read_number(cudaDataType type, const void* address) {
    Number number;
    with_type(type, [&](auto example) {
        using T = decltype(example);
        number = Number(widen(*static_cast<const T*>(address)));
    });
    return number;
}

}  // namespace kbuild::mathlibs

#endif
