/* CUDA's integer intrinsics for byte permutation, funnel shifts, averages, sums of differences, and
 * dot products. */
#ifndef KBUILD_CPU_INTEGERS_H
#define KBUILD_CPU_INTEGERS_H

#include "barrier.h"
#include "qualifiers.h"
#include "vector_types.h"

#include <string.h>

#pragma GCC system_header

/* The low three bits of each nibble of the selector select one of eight bytes. */
__device__ inline unsigned int __byte_perm(unsigned int __a, unsigned int __b, unsigned int __s) {
    const unsigned long long __bytes = static_cast<unsigned long long>(__b) << 32 | __a;
    unsigned int __made = 0;
    for (int __i = 0; __i < 4; ++__i) {
        const unsigned int __pick = __s >> 4 * __i;
        __made |= (static_cast<unsigned int>(__bytes >> 8 * (__pick & 7)) & 0xFF) << 8 * __i;
    }
    return __made;
}

/* Shifts hi:lo.  The plain forms use the distance modulo 32, and the others clamp it to 32. */
__device__ inline unsigned int __funnelshift_l(unsigned int __lo, unsigned int __hi,
                                               unsigned int __n) {
    const unsigned long long __both = static_cast<unsigned long long>(__hi) << 32 | __lo;
    return static_cast<unsigned int>((__both << (__n & 31)) >> 32);
}
__device__ inline unsigned int __funnelshift_lc(unsigned int __lo, unsigned int __hi,
                                                unsigned int __n) {
    return __n >= 32 ? __lo : __funnelshift_l(__lo, __hi, __n);
}
__device__ inline unsigned int __funnelshift_r(unsigned int __lo, unsigned int __hi,
                                               unsigned int __n) {
    const unsigned long long __both = static_cast<unsigned long long>(__hi) << 32 | __lo;
    return static_cast<unsigned int>(__both >> (__n & 31));
}
__device__ inline unsigned int __funnelshift_rc(unsigned int __lo, unsigned int __hi,
                                                unsigned int __n) {
    return __n >= 32 ? __hi : __funnelshift_r(__lo, __hi, __n);
}

__device__ inline int __hadd(int __a, int __b) {
    return static_cast<int>((static_cast<long long>(__a) + __b) >> 1);
}
__device__ inline int __rhadd(int __a, int __b) {
    return static_cast<int>((static_cast<long long>(__a) + __b + 1) >> 1);
}
__device__ inline unsigned int __uhadd(unsigned int __a, unsigned int __b) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(__a) + __b) >> 1);
}
__device__ inline unsigned int __urhadd(unsigned int __a, unsigned int __b) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(__a) + __b + 1) >> 1);
}

__device__ inline unsigned int __usad(unsigned int __a, unsigned int __b, unsigned int __c) {
    return (__a > __b ? __a - __b : __b - __a) + __c;
}
__device__ inline unsigned int __sad(int __a, int __b, unsigned int __c) {
    const unsigned int __ua = static_cast<unsigned int>(__a);
    const unsigned int __ub = static_cast<unsigned int>(__b);
    return (__a > __b ? __ua - __ub : __ub - __ua) + __c;
}

namespace kbuild_cpu {

/* The bytes of a vector as one integer. */
template <class __Word, class __Vector>
__device__ inline __Word word(__Vector __vector) {
    static_assert(sizeof(__Word) == sizeof(__Vector));
    __Word __word;
    memcpy(&__word, &__vector, sizeof __word);
    return __word;
}

}  // namespace kbuild_cpu

/* Sums of four products of bytes, or of two products of 16-bit words with the lower or upper
 * bytes. */
#define KBUILD_CPU_DOT(sign, byte, half) \
    __device__ inline sign int __dp4a(sign int __a, sign int __b, sign int __c) { \
        unsigned int __sum = static_cast<unsigned int>(__c); \
        for (int __i = 0; __i < 32; __i += 8) \
            __sum += static_cast<unsigned int>(static_cast<byte>(__a >> __i) * \
                                               static_cast<byte>(__b >> __i)); \
        return static_cast<sign int>(__sum); \
    } \
    __device__ inline sign int __dp2a_lo(sign int __a, sign int __b, sign int __c) { \
        const int __low = static_cast<half>(__a) * static_cast<byte>(__b); \
        const int __high = static_cast<half>(__a >> 16) * static_cast<byte>(__b >> 8); \
        return static_cast<sign int>(static_cast<unsigned int>(__c) + \
                                     static_cast<unsigned int>(__low) + \
                                     static_cast<unsigned int>(__high)); \
    } \
    __device__ inline sign int __dp2a_hi(sign int __a, sign int __b, sign int __c) { \
        return __dp2a_lo(__a, __b >> 16, __c); \
    }
/* The same, for operands that are vectors. */
#define KBUILD_CPU_DOT_OF_VECTORS(sign, bytes, halves) \
    __device__ inline sign int __dp4a(bytes __a, bytes __b, sign int __c) { \
        return __dp4a(kbuild_cpu::word<sign int>(__a), kbuild_cpu::word<sign int>(__b), __c); \
    } \
    __device__ inline sign int __dp2a_lo(halves __a, bytes __b, sign int __c) { \
        return __dp2a_lo(kbuild_cpu::word<sign int>(__a), kbuild_cpu::word<sign int>(__b), __c); \
    } \
    __device__ inline sign int __dp2a_hi(halves __a, bytes __b, sign int __c) { \
        return __dp2a_hi(kbuild_cpu::word<sign int>(__a), kbuild_cpu::word<sign int>(__b), __c); \
    }

KBUILD_CPU_DOT(signed, signed char, short)
KBUILD_CPU_DOT(unsigned, unsigned char, unsigned short)
KBUILD_CPU_DOT_OF_VECTORS(signed, char4, short2)
KBUILD_CPU_DOT_OF_VECTORS(unsigned, uchar4, ushort2)

#undef KBUILD_CPU_DOT_OF_VECTORS
#undef KBUILD_CPU_DOT

/* Functions that stop or observe a thread. */
__device__ inline void __trap() {
    kbuild_cpu_api->trap(kbuild_cpu_runner, KBUILD_CPU_LAUNCH_FAILURE);
}
__device__ inline void __brkpt() { __builtin_trap(); }
__device__ inline void __prof_trigger(int) {}

/* A kernel starts when those before it in its stream have finished, so it never waits for them. */
__device__ inline void cudaGridDependencySynchronize() {}
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {}

#if defined(__clang__)
#define __assume(condition) __builtin_assume(condition)
#else
#define __builtin_assume(condition) ((condition) ? void() : __builtin_unreachable())
#define __assume(condition) __builtin_assume(condition)
#endif

#endif
