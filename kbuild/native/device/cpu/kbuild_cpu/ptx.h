/* Single instructions of PTX as functions; see kbuild/backends/cpu/mixed/cub.py.  The arguments are the
 * operands of a statement. */
#ifndef KBUILD_CPU_PTX_H
#define KBUILD_CPU_PTX_H

#include "warp.h"

#pragma GCC system_header

namespace kbuild_cpu::ptx {

__device__ inline unsigned int lane() { return thread_number() % 32; }

#define KBUILD_CPU_LANE_REGISTER(name, value)           \
    template <class __T>                                \
    __device__ inline void read_##name(__T &__result) { \
        __result = static_cast<__T>(value);             \
    }
KBUILD_CPU_LANE_REGISTER(laneid, lane())
KBUILD_CPU_LANE_REGISTER(lanemask_eq, 1u << lane())
KBUILD_CPU_LANE_REGISTER(lanemask_lt, (1u << lane()) - 1)
KBUILD_CPU_LANE_REGISTER(lanemask_le, (2u << lane()) - 1)
KBUILD_CPU_LANE_REGISTER(lanemask_ge, ~((1u << lane()) - 1))
KBUILD_CPU_LANE_REGISTER(lanemask_gt, ~((2u << lane()) - 1))
#undef KBUILD_CPU_LANE_REGISTER

/* The number of the highest bit that is set, or all ones. */
template <class __T>
inline void find_top_bit(__T &__result, unsigned int __value) {
    __result = static_cast<__T>(__value == 0 ? -1 : 31 - __builtin_clz(__value));
}

}  // namespace kbuild_cpu::ptx

#endif
