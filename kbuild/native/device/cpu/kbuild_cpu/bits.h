/* Integer and bit intrinsics, and bit casts. */
#ifndef KBUILD_CPU_BITS_H
#define KBUILD_CPU_BITS_H

#include "qualifiers.h"

#include <string.h>

#pragma GCC system_header

__device__ inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
__device__ inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
__device__ inline int __ffs(int x) { return __builtin_ffs(x); }
__device__ inline int __ffsll(long long x) { return __builtin_ffsll(x); }
__device__ inline int __popc(unsigned int x) { return __builtin_popcount(x); }
__device__ inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

__device__ inline unsigned int __brev(unsigned int x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(x);
}
__device__ inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}

__device__ inline int __mul24(int a, int b) {
    return static_cast<int>(static_cast<long long>(a << 8 >> 8) * (b << 8 >> 8));
}
__device__ inline unsigned int __umul24(unsigned int a, unsigned int b) {
    return (a & 0xFFFFFFu) * (b & 0xFFFFFFu);
}
__device__ inline int __mulhi(int a, int b) {
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
__device__ inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__device__ inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

#define KBUILD_CPU_BIT_CAST(name, from, to)  \
    __device__ inline to name(from value) {  \
        to bits;                             \
        memcpy(&bits, &value, sizeof bits);  \
        return bits;                         \
    }

KBUILD_CPU_BIT_CAST(__float_as_int, float, int)
KBUILD_CPU_BIT_CAST(__int_as_float, int, float)
KBUILD_CPU_BIT_CAST(__float_as_uint, float, unsigned int)
KBUILD_CPU_BIT_CAST(__uint_as_float, unsigned int, float)
KBUILD_CPU_BIT_CAST(__double_as_longlong, double, long long)
KBUILD_CPU_BIT_CAST(__longlong_as_double, long long, double)

#undef KBUILD_CPU_BIT_CAST

/* Loads and stores with a cache hint are plain ones here. */
template <class T>
__device__ inline T __ldg(const T *address) { return *address; }
template <class T>
__device__ inline T __ldcg(const T *address) { return *address; }
template <class T>
__device__ inline T __ldcs(const T *address) { return *address; }
template <class T>
__device__ inline void __stcg(T *address, T value) { *address = value; }
template <class T>
__device__ inline void __stcs(T *address, T value) { *address = value; }

#endif
