/* Bit intrinsics, and products of integers. */
#ifndef KBUILD_CPU_BITS_H
#define KBUILD_CPU_BITS_H

#include "qualifiers.h"

#pragma GCC system_header

__device__ constexpr int __clz(int __x) {
    return __x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(__x));
}
__device__ constexpr int __clzll(long long __x) {
    return __x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(__x));
}
__device__ constexpr int __ffs(int __x) { return __builtin_ffs(__x); }
__device__ constexpr int __ffsll(long long __x) { return __builtin_ffsll(__x); }
__device__ constexpr int __popc(unsigned int __x) { return __builtin_popcount(__x); }
__device__ constexpr int __popcll(unsigned long long __x) { return __builtin_popcountll(__x); }

__device__ constexpr unsigned int __brev(unsigned int __x) {
    __x = (__x >> 1 & 0x55555555u) | (__x & 0x55555555u) << 1;
    __x = (__x >> 2 & 0x33333333u) | (__x & 0x33333333u) << 2;
    __x = (__x >> 4 & 0x0F0F0F0Fu) | (__x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(__x);
}
__device__ constexpr unsigned long long __brevll(unsigned long long __x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(__x))) << 32 |
           __brev(static_cast<unsigned>(__x >> 32));
}

__device__ constexpr int __mul24(int __a, int __b) {
    const int __low_a = static_cast<int>(static_cast<unsigned>(__a) << 8) >> 8;
    const int __low_b = static_cast<int>(static_cast<unsigned>(__b) << 8) >> 8;
    return static_cast<int>(static_cast<long long>(__low_a) * __low_b);
}
__device__ constexpr unsigned int __umul24(unsigned int __a, unsigned int __b) {
    return (__a & 0xFFFFFFu) * (__b & 0xFFFFFFu);
}
__device__ constexpr int __mulhi(int __a, int __b) {
    return static_cast<int>(static_cast<long long>(__a) * __b >> 32);
}
__device__ constexpr unsigned int __umulhi(unsigned int __a, unsigned int __b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(__a) * __b >> 32);
}
__device__ constexpr long long __mul64hi(long long __a, long long __b) {
    return static_cast<long long>(static_cast<__int128>(__a) * __b >> 64);
}
__device__ constexpr unsigned long long __umul64hi(unsigned long long __a, unsigned long long __b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(__a) * __b >> 64);
}

__device__ constexpr unsigned short __nv_bswap16(unsigned short __x) {
    return __builtin_bswap16(__x);
}
__device__ constexpr unsigned int __nv_bswap32(unsigned int __x) { return __builtin_bswap32(__x); }
__device__ constexpr unsigned long long __nv_bswap64(unsigned long long __x) {
    return __builtin_bswap64(__x);
}

/* Returns the position of the n-th set bit, counted from the base upward or, for negative n,
 * downward.  For n = 0, it is the base if that bit is set.  Without such a bit, all bits are set. */
__device__ constexpr unsigned int __fns(unsigned int __mask, unsigned int __base, int __n) {
    if (__n == 0) return __mask >> (__base & 31) & 1 ? __base : ~0u;
    int __rest = __n < 0 ? -__n : __n;
    for (unsigned int __at = __base; __at < 32; __at += __n < 0 ? -1 : 1)
        if (__mask >> __at & 1 && --__rest == 0) return __at;
    return ~0u;
}

#endif
