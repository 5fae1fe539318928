/* The order in which CUB's algorithms for blocks and warps combine the values of threads.
 *
 * Values are in the order of the threads. Each combination is that of a thread, with its operator. */
#ifndef KBUILD_CPU_CCCL_BLOCK_OPERATORS_H
#define KBUILD_CPU_CCCL_BLOCK_OPERATORS_H

#include "../../regions/teams.h"

#include <cub/config.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cuda/__functional/operator_properties.h>
#include <cuda/std/functional>
#include <cuda/std/type_traits>

#pragma GCC system_header

namespace kbuild_cpu::regions {

template <class __T, class __Operator>
constexpr bool is_team_value =
    ::cuda::std::is_trivially_copyable_v<__T> && ::cuda::std::is_default_constructible_v<__T> &&
    sizeof(__T) <= 64 && ::cuda::std::is_invocable_v<const __Operator &, __T &, __T &>;

/* Combines two values as a thread of a frame does. */
template <class __T, class __Frame>
struct combination {
    const block &__block;
    __Frame &__of;

    KBUILD_CPU_ALWAYS_INLINE __T operator()(int __number, __T __a, __T __b) const {
        [[maybe_unused]] const auto __inside = __of.enter(__block, __number);
        return static_cast<__T>(__of.entries[__number].op(__a, __b));
    }
};

constexpr bool is_power_of_two(int __width) { return (__width & (__width - 1)) == 0; }

/* Leaves the combination of the first `valid` values in the first one. */
template <int __Width, class __T, class __Combine>
KBUILD_CPU_ALWAYS_INLINE void reduce_lanes(__T *__values, int __first, int __valid,
                                           const __Combine &__combine) {
    for (int __offset = 1; __offset < __Width; __offset *= 2)
        for (int __lane = 0; __lane + __offset < __valid; __lane += 2 * __offset)
            __values[__lane] =
                __combine(__first + __lane, __values[__lane], __values[__lane + __offset]);
}

/* Whether lanes without a partner combine with an identity: CUB's do if their number is not a power of two. */
template <class __Operator, class __T, int __Width>
constexpr bool has_padding =
    !is_power_of_two(__Width) && ::cuda::has_identity_element_v<__Operator, __T>;

template <int __Width, class __Operator, class __T, class __Combine>
KBUILD_CPU_ALWAYS_INLINE void scan_lanes(__T *__values, int __first, const __Combine &__combine) {
    for (int __offset = 1; __offset < __Width; __offset *= 2) {
        for (int __lane = __Width - 1; __lane >= __offset; --__lane)
            __values[__lane] =
                __combine(__first + __lane, __values[__lane - __offset], __values[__lane]);
        if constexpr (has_padding<__Operator, __T, __Width>)
            for (int __lane = 0; __lane < __offset && __lane < __Width; ++__lane)
                __values[__lane] =
                    __combine(__first + __lane, ::cuda::identity_element<__Operator, __T>(),
                              __values[__lane]);
    }
}

/* Scans `inputs`, and leaves inclusive and exclusive results. The first exclusive one is defined only with an
 * initial value. Returns the combination of all. */
template <int __Width, class __Operator, class __T, class __Combine>
__T scan_lanes(const __T *__inputs, __T *__inclusive, __T *__exclusive, const __T *__initial,
               int __first, const __Combine &__combine) {
    for (int __lane = 0; __lane < __Width; ++__lane) __inclusive[__lane] = __inputs[__lane];
    scan_lanes<__Width, __Operator>(__inclusive, __first, __combine);
    const __T __all = __inclusive[__Width - 1];
    if (__initial != nullptr)
        for (int __lane = 0; __lane < __Width; ++__lane)
            __inclusive[__lane] =
                __combine(__first + __lane, __initial[__lane], __inclusive[__lane]);
    if constexpr (::cuda::std::is_integral_v<__T> &&
                  ::cuda::std::is_same_v<__Operator, ::cuda::std::plus<>>) {
        for (int __lane = 0; __lane < __Width; ++__lane)
            __exclusive[__lane] = static_cast<__T>(__inclusive[__lane] - __inputs[__lane]);
    } else {
        __exclusive[0] = __initial != nullptr ? __initial[0] : __inclusive[0];
        for (int __lane = 1; __lane < __Width; ++__lane)
            __exclusive[__lane] = __inclusive[__lane - 1];
    }
    return __all;
}

/* How CUB divides a block into segments, each of which a thread combines. */
template <int __Threads>
struct raking_layout {
    static constexpr int length =
        (__Threads + (__Threads < 32 ? __Threads : 32) - 1) / (__Threads < 32 ? __Threads : 32);
    static constexpr int segments = (__Threads + length - 1) / length;
    static constexpr bool is_even = __Threads % segments == 0;
};

}  // namespace kbuild_cpu::regions

#endif
