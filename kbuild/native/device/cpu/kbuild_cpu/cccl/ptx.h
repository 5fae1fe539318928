/* The inline PTX of CUB as functions; see kbuild/backends/cpu/mixed/cub.py.
 *
 * The arguments are the operands of a statement.  The control word of a shuffle contains the width of the
 * part of the warp, and the first or last lane of it.
 * Source: PTX ISA, section shfl.sync. */
#ifndef KBUILD_CPU_CCCL_PTX_H
#define KBUILD_CPU_CCCL_PTX_H

#include "../ptx.h"

#include <stdint.h>

#pragma GCC system_header

namespace kbuild_cpu::ptx {

/* Loads and stores with a cache operator, of scalars and of vectors. */
template <class __T, class __U>
void load(__T &__x, const __U *__address) {
    __x = *const_cast<const volatile __U *>(__address);
}
template <class __T, class __U>
void load(__T &__x, __T &__y, const __U *__address) {
    const __U __vector = *__address;
    __x = __vector.x;
    __y = __vector.y;
}
template <class __T, class __U>
void load(__T &__x, __T &__y, __T &__z, __T &__w, const __U *__address) {
    const __U __vector = *__address;
    __x = __vector.x;
    __y = __vector.y;
    __z = __vector.z;
    __w = __vector.w;
}
template <class __T, class __U>
void store(__U *__address, __T __x) {
    *const_cast<volatile __U *>(__address) = static_cast<__U>(__x);
}
template <class __T, class __U>
void store(__U *__address, __T __x, __T __y) {
    *__address = __U{__x, __y};
}
template <class __T, class __U>
void store(__U *__address, __T __x, __T __y, __T __z, __T __w) {
    *__address = __U{__x, __y, __z, __w};
}

inline void extract_bits(unsigned int &__result, unsigned int __value, unsigned int __start,
                         unsigned int __length) {
    __start &= 255;
    __length &= 255;
    const uint64_t __mask = __length < 32 ? (uint64_t{1} << __length) - 1 : 0xFFFFFFFF;
    __result = __start < 32 ? static_cast<unsigned int>(__value >> __start & __mask) : 0;
}

/* Shifts by more than the width give 0. */
inline void shift_left(unsigned int &__result, unsigned int __value, unsigned int __bits) {
    __result = __bits < 32 ? __value << __bits : 0;
}
inline void shift_right(unsigned int &__result, unsigned int __value, unsigned int __bits) {
    __result = __bits < 32 ? __value >> __bits : 0;
}

/* Reads the value of another lane.  Returns false if that lane is outside of the part of the warp. */
template <bool __is_up, class __T>
__device__ inline bool read_lane(__T &__result, __T __value, int __offset, unsigned int __control,
                                 unsigned int __mask) {
    const int __lane = static_cast<int>(lane());
    const int __part = static_cast<int>(__control >> 8 & 31);
    const int __last = (__lane & __part) | (static_cast<int>(__control & 31) & ~__part);
    const int __source = __is_up ? __lane - __offset : __lane + __offset;
    const bool __is_inside = __is_up ? __source >= __last : __source <= __last;
    const kbuild_cpu_call __call{"a shuffle of CUB", nullptr, 0, 32};
    __result = shuffle_value(__call, __mask, __value, shuffle{__is_inside ? __source : __lane, !__is_inside});
    return __is_inside;
}

#define KBUILD_CPU_PTX_SHUFFLE(way, is_up)                                                              \
    __device__ inline void shuffle_##way(unsigned int &__result, unsigned int __value, int __offset,    \
                                         unsigned int __control, unsigned int __mask) {                 \
        read_lane<is_up>(__result, __value, __offset, __control, __mask);                               \
    }                                                                                                   \
    /* Adds a value if the other lane is inside. */                                                     \
    template <class __T>                                                                                \
    __device__ inline void add_##way(__T &__result, __T __value, int __offset, unsigned int __control,  \
                                     __T __addend, unsigned int __mask) {                               \
        if (read_lane<is_up>(__result, __value, __offset, __control, __mask)) __result += __addend;     \
    }                                                                                                   \
    template <class __T>                                                                                \
    __device__ inline void add_own_##way(__T &__result, __T __value, int __offset,                      \
                                         unsigned int __control, unsigned int __mask) {                 \
        add_##way(__result, __value, __offset, __control, __value, __mask);                             \
    }
KBUILD_CPU_PTX_SHUFFLE(up, true)
KBUILD_CPU_PTX_SHUFFLE(down, false)
#undef KBUILD_CPU_PTX_SHUFFLE

/* Returns the lanes that have the same value in one bit. */
__device__ inline void match_bit(unsigned int &__lanes, unsigned int __value, unsigned int __bit) {
    const bool __is_set = (__value & __bit) != 0;
    const kbuild_cpu_call __call{"a vote of CUB", nullptr, 0, 32};
    const auto __set = static_cast<unsigned int>(ballot(__call, 0xFFFFFFFF, __is_set));
    __lanes = __is_set ? __set : ~__set;
}

}  // namespace kbuild_cpu::ptx

#endif
