/* CUDA's vector types, with its sizes and alignments, and dim3. */
#ifndef KBUILD_CPU_VECTOR_TYPES_H
#define KBUILD_CPU_VECTOR_TYPES_H

#include "qualifiers.h"

#pragma GCC system_header

/* A vector of two or four is aligned to its size, 16 bytes at most. */
#define KBUILD_CPU_VECTOR_TYPES(name, type)                                                   \
    struct name##1 { type x; };                                                               \
    struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };                 \
    struct name##3 { type x, y, z; };                                                         \
    struct __attribute__((aligned(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16))) name##4 {  \
        type x, y, z, w;                                                                      \
    };                                                                                        \
    __device__ constexpr name##1 make_##name##1(type x) { return {x}; }                       \
    __device__ constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }            \
    __device__ constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
    __device__ constexpr name##4 make_##name##4(type x, type y, type z, type w) {             \
        return {x, y, z, w};                                                                  \
    }

KBUILD_CPU_VECTOR_TYPES(char, signed char)
KBUILD_CPU_VECTOR_TYPES(uchar, unsigned char)
KBUILD_CPU_VECTOR_TYPES(short, short)
KBUILD_CPU_VECTOR_TYPES(ushort, unsigned short)
KBUILD_CPU_VECTOR_TYPES(int, int)
KBUILD_CPU_VECTOR_TYPES(uint, unsigned int)
KBUILD_CPU_VECTOR_TYPES(long, long)
KBUILD_CPU_VECTOR_TYPES(ulong, unsigned long)
KBUILD_CPU_VECTOR_TYPES(longlong, long long)
KBUILD_CPU_VECTOR_TYPES(ulonglong, unsigned long long)
KBUILD_CPU_VECTOR_TYPES(float, float)
KBUILD_CPU_VECTOR_TYPES(double, double)

#undef KBUILD_CPU_VECTOR_TYPES

struct dim3 {
    unsigned int x, y, z;

    __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __device__ constexpr operator uint3() const { return {x, y, z}; }
};

#endif
