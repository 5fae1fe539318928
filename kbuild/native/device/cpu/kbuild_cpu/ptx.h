/* Single instructions of PTX as functions; see kbuild/backends/cpu/mixed/inline_ptx/statements.py.  The arguments are the
 * operands of a statement. */
#ifndef KBUILD_CPU_PTX_H
#define KBUILD_CPU_PTX_H

#include "barrier.h"
#include "clock.h"
#include "integers.h"
#include "math/simd.h"
#include "ptx/accesses.h"
#include "ptx/copies.h"
#include "ptx/matrices.h"
#include "warp.h"

#pragma GCC system_header

namespace kbuild_cpu::ptx {

__device__ inline unsigned int lane() { return thread_number() % 32; }

#define KBUILD_CPU_REGISTER(name, value) \
    template <class __T> \
    __device__ inline void read_##name(__T &__result) { \
        __result = static_cast<__T>(value); \
    }
KBUILD_CPU_REGISTER(laneid, lane())
KBUILD_CPU_REGISTER(lanemask_eq, 1u << lane())
KBUILD_CPU_REGISTER(lanemask_lt, (1u << lane()) - 1)
KBUILD_CPU_REGISTER(lanemask_le, (2u << lane()) - 1)
KBUILD_CPU_REGISTER(lanemask_ge, ~((1u << lane()) - 1))
KBUILD_CPU_REGISTER(lanemask_gt, ~((2u << lane()) - 1))
#define KBUILD_CPU_REGISTERS(name, variable) \
    KBUILD_CPU_REGISTER(name##_x, ::variable.x) \
    KBUILD_CPU_REGISTER(name##_y, ::variable.y) \
    KBUILD_CPU_REGISTER(name##_z, ::variable.z)
KBUILD_CPU_REGISTERS(tid, threadIdx)
KBUILD_CPU_REGISTERS(ntid, blockDim)
KBUILD_CPU_REGISTERS(ctaid, blockIdx)
KBUILD_CPU_REGISTERS(nctaid, gridDim)
#undef KBUILD_CPU_REGISTERS
KBUILD_CPU_REGISTER(clock, ::clock64())
KBUILD_CPU_REGISTER(clock64, ::clock64())
KBUILD_CPU_REGISTER(globaltimer, ::clock64())
#undef KBUILD_CPU_REGISTER

/* The lower half of the exact result, for numbers with and without a sign. */
template <class __T>
inline void add_words(__T &__result, unsigned int __a, unsigned int __b) {
    __result = static_cast<__T>(__a + __b);
}
template <class __T>
inline void subtract_words(__T &__result, unsigned int __a, unsigned int __b) {
    __result = static_cast<__T>(__a - __b);
}
template <class __T>
inline void multiply(__T &__result, unsigned int __a, unsigned int __b) {
    __result = static_cast<__T>(__a * __b);
}
template <class __T>
inline void multiply_and_add(__T &__result, unsigned int __a, unsigned int __b, unsigned int __c) {
    __result = static_cast<__T>(__a * __b + __c);
}

/* For each bit, the operands select one of the table. */
template <class __T>
inline void look_up(__T &__result, unsigned int __a, unsigned int __b, unsigned int __c,
                    unsigned int __table) {
    unsigned int __bits = 0;
    for (unsigned int __i = 0; __i < 8; ++__i)
        if ((__table >> __i & 1) != 0)
            __bits |= ((__i & 4) != 0 ? __a : ~__a) & ((__i & 2) != 0 ? __b : ~__b) &
                      ((__i & 1) != 0 ? __c : ~__c);
    __result = static_cast<__T>(__bits);
}

inline void multiply_and_round(float &__result, float __a, float __b, float __c) {
    __result = __builtin_fmaf(__a, __b, __c);
}
inline void multiply_and_round(double &__result, double __a, double __b, double __c) {
    __result = __builtin_fma(__a, __b, __c);
}

__device__ inline void trap() { ::__trap(); }
__device__ inline void brkpt() { ::__brkpt(); }
__device__ inline void synchronize_block(int) { ::__syncthreads(); }
__device__ inline void synchronize_warp(unsigned int __mask) { ::__syncwarp(__mask); }

/* The number of the highest bit that is set, or all ones. */
template <class __T>
inline void find_top_bit(__T &__result, unsigned int __value) {
    __result = static_cast<__T>(__value == 0 ? -1 : 31 - __builtin_clz(__value));
}

inline void extract_bits(unsigned int &__result, unsigned int __value, unsigned int __start,
                         unsigned int __length) {
    __start &= 255;
    __length &= 255;
    const unsigned int __mask = __length < 32 ? (1u << __length) - 1 : ~0u;
    __result = __start < 32 ? __value >> __start & __mask : 0;
}

/* Shifts by more than the width give 0. */
inline void shift_left(unsigned int &__result, unsigned int __value, unsigned int __bits) {
    __result = __bits < 32 ? __value << __bits : 0;
}
inline void shift_right(unsigned int &__result, unsigned int __value, unsigned int __bits) {
    __result = __bits < 32 ? __value >> __bits : 0;
}

/* The absolute differences of the bytes, and a third operand, in one sum. */
inline void add_byte_differences(unsigned int &__result, unsigned int __a, unsigned int __b,
                                 unsigned int __c) {
    __result = __vsadu4(__a, __b) + __c;
}

}  // namespace kbuild_cpu::ptx

#endif
