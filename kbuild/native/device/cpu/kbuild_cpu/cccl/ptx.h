/* The shuffles of CUB, which are inline PTX there. */
#ifndef KBUILD_CPU_CCCL_PTX_H
#define KBUILD_CPU_CCCL_PTX_H

#include "../ptx.h"

#include <stdint.h>

#pragma GCC system_header

namespace kbuild_cpu {

/* Returns the value of another lane, which can have any size. */
template <class __T>
__device__ inline __T shuffle_object(kbuild_cpu_call __call, uint64_t __mask, const __T &__value,
                                     const shuffle &__from) {
    uint64_t __words[(sizeof(__T) + 7) / 8] = {};
    memcpy(__words, static_cast<const void *>(&__value), sizeof(__T));
    for (uint64_t &__word : __words) __word = shuffle_value(__call, __mask, __word, __from);
    __T __result = __value;
    memcpy(static_cast<void *>(&__result), __words, sizeof(__T));
    return __result;
}

namespace ptx {

/* The control word of a shuffle contains the width of the part of the warp, and the first or last lane of
 * it.  Source: PTX ISA, section shfl.sync. */
__device__ inline int last_lane(int __lane, unsigned int __control) {
    const unsigned int __part = __control >> 8 & 31;
    return static_cast<int>((static_cast<unsigned int>(__lane) & __part) |
                            (__control & 31 & ~__part));
}
__device__ inline shuffle find_lower(int __offset, unsigned int __control) {
    const int __lane = static_cast<int>(lane());
    const bool __is_own = __lane - __offset < last_lane(__lane, __control);
    return {__is_own ? __lane : __lane - __offset, __is_own};
}
__device__ inline shuffle find_higher(int __offset, unsigned int __control) {
    const int __lane = static_cast<int>(lane());
    const bool __is_own = __lane + __offset > last_lane(__lane, __control);
    return {__is_own ? __lane : __lane + __offset, __is_own};
}

#define KBUILD_CPU_PTX_SHUFFLE(way, find) \
    template <class __T> \
    __device__ inline __T shuffle_##way(const __T &__value, int __offset, unsigned int __control, \
                                        unsigned int __mask) { \
        return shuffle_object({"a shuffle of CUB", nullptr, 0, 32}, __mask, __value, \
                              find(__offset, __control)); \
    } \
    /* Adds the value of the other lane if it is in the part of the warp. */ \
    template <class __T> \
    __device__ inline __T KBUILD_CALL_NEEDS_BLOCK add_##way( \
        __T __value, int __offset, unsigned int __control, unsigned int __mask) { \
        const shuffle __from = find(__offset, __control); \
        const __T __other = \
            shuffle_object({"a shuffle of CUB", nullptr, 0, 32}, __mask, __value, __from); \
        return __from.__is_own ? __value : __other + __value; \
    }
KBUILD_CPU_PTX_SHUFFLE(up, find_lower)
KBUILD_CPU_PTX_SHUFFLE(down, find_higher)
#undef KBUILD_CPU_PTX_SHUFFLE

}  // namespace ptx
}  // namespace kbuild_cpu

#endif
