// CUDA's vector types, with the same sizes and alignments, and dim3. For CPU device code, and for
// hosts without CUDA's or HIP's own headers.
#ifndef KBUILD_VECTOR_TYPES_HPP
#define KBUILD_VECTOR_TYPES_HPP

#if defined(KBUILD_HOST_HIP_H)
#include <hip/hip_vector_types.h>
#endif

#if !defined(__VECTOR_TYPES_H__) && !defined(HIP_INCLUDE_HIP_AMD_DETAIL_HIP_VECTOR_TYPES_H) && \
    !defined(KBUILD_HOST_CUDA_H) && !defined(KBUILD_HOST_HIP_H)

#if defined(KBUILD_DEVICE_CODE)
#pragma GCC system_header
#define KBUILD_VECTOR_FUNCTION __device__ constexpr
#else
#define KBUILD_VECTOR_FUNCTION constexpr
#endif

// Vectors of two and four elements are aligned to their size, but to at most 16 bytes.
#define KBUILD_VECTOR_TYPES(name, type) \
    struct name##1 { type x; }; \
    struct alignas(2 * sizeof(type)) name##2 { type x, y; }; \
    struct name##3 { type x, y, z; }; \
    struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { type x, y, z, w; }; \
    KBUILD_VECTOR_FUNCTION name##1 make_##name##1(type __x) { return {__x}; } \
    KBUILD_VECTOR_FUNCTION name##2 make_##name##2(type __x, type __y) { return {__x, __y}; } \
    KBUILD_VECTOR_FUNCTION name##3 make_##name##3(type __x, type __y, type __z) { \
        return {__x, __y, __z}; \
    } \
    KBUILD_VECTOR_FUNCTION name##4 make_##name##4(type __x, type __y, type __z, type __w) { \
        return {__x, __y, __z, __w}; \
    }

KBUILD_VECTOR_TYPES(char, signed char)
KBUILD_VECTOR_TYPES(uchar, unsigned char)
KBUILD_VECTOR_TYPES(short, short)
KBUILD_VECTOR_TYPES(ushort, unsigned short)
KBUILD_VECTOR_TYPES(int, int)
KBUILD_VECTOR_TYPES(uint, unsigned int)
KBUILD_VECTOR_TYPES(long, long)
KBUILD_VECTOR_TYPES(ulong, unsigned long)
KBUILD_VECTOR_TYPES(longlong, long long)
KBUILD_VECTOR_TYPES(ulonglong, unsigned long long)
KBUILD_VECTOR_TYPES(float, float)
KBUILD_VECTOR_TYPES(double, double)

#undef KBUILD_VECTOR_TYPES

// CUDA 13's vectors of four 64-bit elements, whose names say the alignment.
#define KBUILD_ALIGNED_VECTOR_TYPE(name, type, bytes) \
    struct alignas(bytes) name##4_##bytes##a { type x, y, z, w; }; \
    KBUILD_VECTOR_FUNCTION name##4_##bytes##a make_##name##4_##bytes##a(type __x, type __y, \
                                                                        type __z, type __w) { \
        return {__x, __y, __z, __w}; \
    }
#define KBUILD_ALIGNED_VECTOR_TYPES(name, type) \
    KBUILD_ALIGNED_VECTOR_TYPE(name, type, 16) \
    KBUILD_ALIGNED_VECTOR_TYPE(name, type, 32)

KBUILD_ALIGNED_VECTOR_TYPES(long, long)
KBUILD_ALIGNED_VECTOR_TYPES(ulong, unsigned long)
KBUILD_ALIGNED_VECTOR_TYPES(longlong, long long)
KBUILD_ALIGNED_VECTOR_TYPES(ulonglong, unsigned long long)
KBUILD_ALIGNED_VECTOR_TYPES(double, double)

#undef KBUILD_ALIGNED_VECTOR_TYPES
#undef KBUILD_ALIGNED_VECTOR_TYPE

struct dim3 {
    unsigned int x, y, z;

    KBUILD_VECTOR_FUNCTION dim3(unsigned int __x = 1, unsigned int __y = 1, unsigned int __z = 1)
        : x(__x), y(__y), z(__z) {}
    KBUILD_VECTOR_FUNCTION dim3(uint3 __v) : x(__v.x), y(__v.y), z(__v.z) {}
    KBUILD_VECTOR_FUNCTION operator uint3() const { return {x, y, z}; }
};

#undef KBUILD_VECTOR_FUNCTION

#endif
#endif
