/* CUDA's vector types and dim3, for device and host code. */
#ifndef KBUILD_CPU_VECTOR_TYPES_H
#define KBUILD_CPU_VECTOR_TYPES_H

#if defined(__cplusplus)

#if defined(KBUILD_DEVICE_CODE)
#include "qualifiers.h"
#endif

#include <kbuild/vector_types.hpp>

#else

#pragma GCC system_header

#define KBUILD_CPU_VECTOR_TYPES(name, type) \
    typedef struct name##1 { type x; } \
    name##1; \
    typedef struct name##2 { type x, y; } \
    __attribute__((aligned(2 * sizeof(type)))) name##2; \
    typedef struct name##3 { type x, y, z; } \
    name##3; \
    typedef struct name##4 { type x, y, z, w; } \
    __attribute__((aligned(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16))) name##4; \
    static inline name##1 make_##name##1(type __x) { \
        name##1 __v; \
        __v.x = __x; \
        return __v; \
    } \
    static inline name##2 make_##name##2(type __x, type __y) { \
        name##2 __v; \
        __v.x = __x; \
        __v.y = __y; \
        return __v; \
    } \
    static inline name##3 make_##name##3(type __x, type __y, type __z) { \
        name##3 __v; \
        __v.x = __x; \
        __v.y = __y; \
        __v.z = __z; \
        return __v; \
    } \
    static inline name##4 make_##name##4(type __x, type __y, type __z, type __w) { \
        name##4 __v; \
        __v.x = __x; \
        __v.y = __y; \
        __v.z = __z; \
        __v.w = __w; \
        return __v; \
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

#define KBUILD_CPU_ALIGNED_VECTOR_TYPE(name, type, bytes) \
    typedef struct name##4_##bytes##a { type x, y, z, w; } \
    __attribute__((aligned(bytes))) name##4_##bytes##a; \
    static inline name##4_##bytes##a make_##name##4_##bytes##a(type __x, type __y, type __z, \
                                                               type __w) { \
        name##4_##bytes##a __v; \
        __v.x = __x; \
        __v.y = __y; \
        __v.z = __z; \
        __v.w = __w; \
        return __v; \
    }
#define KBUILD_CPU_ALIGNED_VECTOR_TYPES(name, type) \
    KBUILD_CPU_ALIGNED_VECTOR_TYPE(name, type, 16) \
    KBUILD_CPU_ALIGNED_VECTOR_TYPE(name, type, 32)

KBUILD_CPU_ALIGNED_VECTOR_TYPES(long, long)
KBUILD_CPU_ALIGNED_VECTOR_TYPES(ulong, unsigned long)
KBUILD_CPU_ALIGNED_VECTOR_TYPES(longlong, long long)
KBUILD_CPU_ALIGNED_VECTOR_TYPES(ulonglong, unsigned long long)
KBUILD_CPU_ALIGNED_VECTOR_TYPES(double, double)

#undef KBUILD_CPU_ALIGNED_VECTOR_TYPES
#undef KBUILD_CPU_ALIGNED_VECTOR_TYPE

typedef struct dim3 {
    unsigned int x, y, z;
} dim3;

#endif
#endif
