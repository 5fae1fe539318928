/* Integer and bit intrinsics, and bit casts. */
#ifndef KBUILD_CPU_BITS_H
#define KBUILD_CPU_BITS_H

#include "qualifiers.h"

#include <string.h>

#pragma GCC system_header

__device__ inline int __clz(int __x) { return __x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(__x)); }
__device__ inline int __clzll(long long __x) {
    return __x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(__x));
}
__device__ inline int __ffs(int __x) { return __builtin_ffs(__x); }
__device__ inline int __ffsll(long long __x) { return __builtin_ffsll(__x); }
__device__ inline int __popc(unsigned int __x) { return __builtin_popcount(__x); }
__device__ inline int __popcll(unsigned long long __x) { return __builtin_popcountll(__x); }

__device__ inline unsigned int __brev(unsigned int __x) {
    __x = (__x >> 1 & 0x55555555u) | (__x & 0x55555555u) << 1;
    __x = (__x >> 2 & 0x33333333u) | (__x & 0x33333333u) << 2;
    __x = (__x >> 4 & 0x0F0F0F0Fu) | (__x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(__x);
}
__device__ inline unsigned long long __brevll(unsigned long long __x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(__x))) << 32 |
           __brev(static_cast<unsigned>(__x >> 32));
}

__device__ inline int __mul24(int __a, int __b) {
    return static_cast<int>(static_cast<long long>(__a << 8 >> 8) * (__b << 8 >> 8));
}
__device__ inline unsigned int __umul24(unsigned int __a, unsigned int __b) {
    return (__a & 0xFFFFFFu) * (__b & 0xFFFFFFu);
}
__device__ inline int __mulhi(int __a, int __b) {
    return static_cast<int>(static_cast<long long>(__a) * __b >> 32);
}
__device__ inline unsigned int __umulhi(unsigned int __a, unsigned int __b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(__a) * __b >> 32);
}
__device__ inline long long __mul64hi(long long __a, long long __b) {
    return static_cast<long long>(static_cast<__int128>(__a) * __b >> 64);
}
__device__ inline unsigned long long __umul64hi(unsigned long long __a, unsigned long long __b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(__a) * __b >> 64);
}

#define KBUILD_CPU_BIT_CAST(name, from, to)  \
    __device__ inline to name(from __value) {  \
        to __bits;                             \
        memcpy(&__bits, &__value, sizeof __bits);  \
        return __bits;                         \
    }

KBUILD_CPU_BIT_CAST(__float_as_int, float, int)
KBUILD_CPU_BIT_CAST(__int_as_float, int, float)
KBUILD_CPU_BIT_CAST(__float_as_uint, float, unsigned int)
KBUILD_CPU_BIT_CAST(__uint_as_float, unsigned int, float)
KBUILD_CPU_BIT_CAST(__double_as_longlong, double, long long)
KBUILD_CPU_BIT_CAST(__longlong_as_double, long long, double)

#undef KBUILD_CPU_BIT_CAST

/* Loads and stores with a cache hint are plain loads and stores on the CPU. */
template <class __T>
__device__ inline __T __ldg(const __T *__address) { return *__address; }
template <class __T>
__device__ inline __T __ldcg(const __T *__address) { return *__address; }
template <class __T>
__device__ inline __T __ldcs(const __T *__address) { return *__address; }
template <class __T>
__device__ inline void __stcg(__T *__address, __T __value) { *__address = __value; }
template <class __T>
__device__ inline void __stcs(__T *__address, __T __value) { *__address = __value; }

#endif
