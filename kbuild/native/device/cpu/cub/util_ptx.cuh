/* CUB's functions whose code is PTX.  Those that its header defines get another name. */
#pragma once
#pragma GCC system_header
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)

#include "../kbuild_cpu/cccl/ptx.h"

#define BFE kbuild_BFE
#define MatchAny kbuild_MatchAny
#define SHFL_DOWN_SYNC kbuild_SHFL_DOWN_SYNC
#define SHFL_UP_SYNC kbuild_SHFL_UP_SYNC
#define ShuffleDown kbuild_ShuffleDown
#define ShuffleUp kbuild_ShuffleUp
#include_next <cub/util_ptx.cuh>
#undef BFE
#undef MatchAny
#undef SHFL_DOWN_SYNC
#undef SHFL_UP_SYNC
#undef ShuffleDown
#undef ShuffleUp

CUB_NAMESPACE_BEGIN

template <class __T>
unsigned int BFE(__T __value, unsigned int __start, unsigned int __length) {
    const auto __mask = __length < sizeof(__T) * 8 ? (__T{1} << __length) - 1 : ~__T{0};
    return __start < sizeof(__T) * 8 ? static_cast<unsigned int>(__value >> __start & __mask) : 0;
}

inline unsigned int KBUILD_NEEDS_BLOCK SHFL_UP_SYNC(unsigned int __word, int __offset,
                                                    int __control, unsigned int __mask) {
    return ::kbuild_cpu::ptx::shuffle_up(__word, __offset, __control, __mask);
}
inline unsigned int KBUILD_NEEDS_BLOCK SHFL_DOWN_SYNC(unsigned int __word, int __offset,
                                                      int __control, unsigned int __mask) {
    return ::kbuild_cpu::ptx::shuffle_down(__word, __offset, __control, __mask);
}

template <int __width, class __T>
__T KBUILD_NEEDS_BLOCK ShuffleUp(const __T &__value, int __offset, int __first,
                                 unsigned int __mask) {
    return ::kbuild_cpu::ptx::shuffle_up(__value, __offset, __first | (32 - __width) << 8, __mask);
}
template <int __width, class __T>
__T KBUILD_NEEDS_BLOCK ShuffleDown(const __T &__value, int __offset, int __last,
                                   unsigned int __mask) {
    return ::kbuild_cpu::ptx::shuffle_down(__value, __offset, __last | (32 - __width) << 8, __mask);
}

/* Returns the lanes with the same low bits.  Lanes that do not exist never match. */
template <int __bits, int __lanes = 32>
unsigned int KBUILD_NEEDS_BLOCK MatchAny(unsigned int __value) {
    static_assert(__bits >= 1 && __bits <= 32);
    const kbuild_cpu_call __call{"cub::MatchAny", nullptr, 0, 32};
    return static_cast<unsigned int>(
        ::kbuild_cpu::match_any(__call, 0xFFFFFFFF, __value & 0xFFFFFFFF >> (32 - __bits)));
}

CUB_NAMESPACE_END

#else
#include_next <cub/util_ptx.cuh>
#endif
