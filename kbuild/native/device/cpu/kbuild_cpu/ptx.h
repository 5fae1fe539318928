/* Single instructions of PTX as functions; see kbuild/backends/cpu/mixed/cub.py.  The arguments are the
 * operands of a statement. */
#ifndef KBUILD_CPU_PTX_H
#define KBUILD_CPU_PTX_H

#include "warp.h"

#pragma GCC system_header

namespace kbuild_cpu::ptx {

__device__ inline unsigned int lane() { return thread_number() % 32; }

__device__ inline void read_laneid(unsigned int &__result) { __result = lane(); }
__device__ inline void read_lanemask_eq(unsigned int &__result) { __result = 1u << lane(); }
__device__ inline void read_lanemask_lt(unsigned int &__result) { __result = (1u << lane()) - 1; }
__device__ inline void read_lanemask_le(unsigned int &__result) { __result = (2u << lane()) - 1; }
__device__ inline void read_lanemask_ge(unsigned int &__result) { __result = ~((1u << lane()) - 1); }
__device__ inline void read_lanemask_gt(unsigned int &__result) { __result = ~((2u << lane()) - 1); }

/* The number of the highest bit that is set, or all ones. */
inline void find_top_bit(unsigned int &__result, unsigned int __value) {
    __result = __value == 0 ? ~0u : 31u - static_cast<unsigned int>(__builtin_clz(__value));
}

}  // namespace kbuild_cpu::ptx

#endif
