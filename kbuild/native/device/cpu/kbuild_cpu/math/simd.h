/* SIMD-in-word functions: each works on the two 16-bit or the four 8-bit lanes of 32-bit words. */
#ifndef KBUILD_CPU_MATH_SIMD_H
#define KBUILD_CPU_MATH_SIMD_H

#include "../qualifiers.h"
#include "../traits.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* Returns the word of function(lane of a, lane of b), where lanes have the type __Lane. */
template <class __Lane, class __Function>
__device__ inline unsigned int map_lanes(unsigned int __a, unsigned int __b,
                                         __Function __function) {
    unsigned int __word = 0;
    for (unsigned int __at = 0; __at < 32; __at += 8 * sizeof(__Lane)) {
        const int __result =
            __function(static_cast<__Lane>(__a >> __at), static_cast<__Lane>(__b >> __at));
        __word |= (static_cast<unsigned int>(__result) & ~0u >> (32 - 8 * sizeof(__Lane))) << __at;
    }
    return __word;
}

template <class __Lane>
__device__ constexpr int saturated(int __value) {
    constexpr int __least = least_v<__Lane>, __greatest = greatest_v<__Lane>;
    return __value < __least ? __least : __value > __greatest ? __greatest : __value;
}

template <class __Lane>
__device__ inline unsigned int sum_lanes(unsigned int __word) {
    unsigned int __sum = 0;
    for (unsigned int __at = 0; __at < 32; __at += 8 * sizeof(__Lane))
        __sum += static_cast<__Lane>(__word >> __at);
    return __sum;
}

}  // namespace kbuild_cpu

/* Defines NAME2 and NAME4.  The expression uses the lanes __x and __y, and their type __Lane. */
#define KBUILD_CPU_LANES_OF(name, Lane, expression) \
    __device__ inline unsigned int name(unsigned int __a, unsigned int __b) { \
        using __Lane = Lane; \
        return kbuild_cpu::map_lanes<__Lane>( \
            __a, __b, [](int __x, int __y) { return static_cast<int>(expression); }); \
    }
#define KBUILD_CPU_SIGNED_LANES(name, expression) \
    KBUILD_CPU_LANES_OF(name##2, short, expression) \
    KBUILD_CPU_LANES_OF(name##4, signed char, expression)
#define KBUILD_CPU_UNSIGNED_LANES(name, expression) \
    KBUILD_CPU_LANES_OF(name##2, unsigned short, expression) \
    KBUILD_CPU_LANES_OF(name##4, unsigned char, expression)
#define KBUILD_CPU_UNARY_LANES_OF(name, Lane, expression) \
    __device__ inline unsigned int name(unsigned int __a) { \
        using __Lane = Lane; \
        return kbuild_cpu::map_lanes<__Lane>( \
            __a, 0, [](int __x, int) { return static_cast<int>(expression); }); \
    }
#define KBUILD_CPU_UNARY_LANES(name, expression) \
    KBUILD_CPU_UNARY_LANES_OF(name##2, short, expression) \
    KBUILD_CPU_UNARY_LANES_OF(name##4, signed char, expression)

KBUILD_CPU_UNARY_LANES(__vabs, __x < 0 ? -__x : __x)
KBUILD_CPU_UNARY_LANES(__vabsss, kbuild_cpu::saturated<__Lane>(__x < 0 ? -__x : __x))
KBUILD_CPU_UNARY_LANES(__vneg, -__x)
KBUILD_CPU_UNARY_LANES(__vnegss, kbuild_cpu::saturated<__Lane>(-__x))

KBUILD_CPU_UNSIGNED_LANES(__vadd, __x + __y)
KBUILD_CPU_SIGNED_LANES(__vaddss, kbuild_cpu::saturated<__Lane>(__x + __y))
KBUILD_CPU_UNSIGNED_LANES(__vaddus, kbuild_cpu::saturated<__Lane>(__x + __y))
KBUILD_CPU_UNSIGNED_LANES(__vsub, __x - __y)
KBUILD_CPU_SIGNED_LANES(__vsubss, kbuild_cpu::saturated<__Lane>(__x - __y))
KBUILD_CPU_UNSIGNED_LANES(__vsubus, kbuild_cpu::saturated<__Lane>(__x - __y))
KBUILD_CPU_SIGNED_LANES(__vabsdiffs, __x < __y ? __y - __x : __x - __y)
KBUILD_CPU_UNSIGNED_LANES(__vabsdiffu, __x < __y ? __y - __x : __x - __y)
/* Rounds halves away from zero. */
KBUILD_CPU_SIGNED_LANES(__vavgs, (__x + __y + (__x + __y >= 0 ? 1 : 0)) >> 1)
KBUILD_CPU_UNSIGNED_LANES(__vavgu, (__x + __y + 1) >> 1)
KBUILD_CPU_UNSIGNED_LANES(__vhaddu, (__x + __y) >> 1)
KBUILD_CPU_SIGNED_LANES(__vmaxs, __x < __y ? __y : __x)
KBUILD_CPU_UNSIGNED_LANES(__vmaxu, __x < __y ? __y : __x)
KBUILD_CPU_SIGNED_LANES(__vmins, __y < __x ? __y : __x)
KBUILD_CPU_UNSIGNED_LANES(__vminu, __y < __x ? __y : __x)

/* The comparisons fill a lane with ones (cmp), or set it to 1 (set). */
#define KBUILD_CPU_COMPARISON(name, operation) \
    KBUILD_CPU_SIGNED_LANES(__vcmp##name##s, __x operation __y ? -1 : 0) \
    KBUILD_CPU_UNSIGNED_LANES(__vcmp##name##u, __x operation __y ? -1 : 0) \
    KBUILD_CPU_SIGNED_LANES(__vset##name##s, __x operation __y ? 1 : 0) \
    KBUILD_CPU_UNSIGNED_LANES(__vset##name##u, __x operation __y ? 1 : 0)
KBUILD_CPU_COMPARISON(ge, >=)
KBUILD_CPU_COMPARISON(gt, >)
KBUILD_CPU_COMPARISON(le, <=)
KBUILD_CPU_COMPARISON(lt, <)
#undef KBUILD_CPU_COMPARISON
KBUILD_CPU_UNSIGNED_LANES(__vcmpeq, __x == __y ? -1 : 0)
KBUILD_CPU_UNSIGNED_LANES(__vcmpne, __x != __y ? -1 : 0)
KBUILD_CPU_UNSIGNED_LANES(__vseteq, __x == __y ? 1 : 0)
KBUILD_CPU_UNSIGNED_LANES(__vsetne, __x != __y ? 1 : 0)

#undef KBUILD_CPU_UNARY_LANES
#undef KBUILD_CPU_UNARY_LANES_OF
#undef KBUILD_CPU_UNSIGNED_LANES
#undef KBUILD_CPU_SIGNED_LANES
#undef KBUILD_CPU_LANES_OF

__device__ inline unsigned int __vsads2(unsigned int __a, unsigned int __b) {
    return kbuild_cpu::sum_lanes<unsigned short>(__vabsdiffs2(__a, __b));
}
__device__ inline unsigned int __vsads4(unsigned int __a, unsigned int __b) {
    return kbuild_cpu::sum_lanes<unsigned char>(__vabsdiffs4(__a, __b));
}
__device__ inline unsigned int __vsadu2(unsigned int __a, unsigned int __b) {
    return kbuild_cpu::sum_lanes<unsigned short>(__vabsdiffu2(__a, __b));
}
__device__ inline unsigned int __vsadu4(unsigned int __a, unsigned int __b) {
    return kbuild_cpu::sum_lanes<unsigned char>(__vabsdiffu4(__a, __b));
}

#endif
