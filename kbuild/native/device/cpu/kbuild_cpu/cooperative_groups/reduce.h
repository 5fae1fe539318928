/* Reductions over the threads of a group. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_REDUCE_H

#include "groups.h"
#include "../atomics/objects.h"

#include <stdint.h>

#pragma GCC system_header

KBUILD_CPU_GROUPS_BEGIN

template <class __T>
struct plus {
    __T operator()(__T __a, __T __b) const { return static_cast<__T>(__a + __b); }
};
template <class __T>
struct less {
    __T operator()(__T __a, __T __b) const { return __b < __a ? __b : __a; }
};
template <class __T>
struct greater {
    __T operator()(__T __a, __T __b) const { return __a < __b ? __b : __a; }
};
template <class __T>
struct bit_and {
    __T operator()(__T __a, __T __b) const { return static_cast<__T>(__a & __b); }
};
template <class __T>
struct bit_or {
    __T operator()(__T __a, __T __b) const { return static_cast<__T>(__a | __b); }
};
template <class __T>
struct bit_xor {
    __T operator()(__T __a, __T __b) const { return static_cast<__T>(__a ^ __b); }
};

/* Combines 2^n values in the order in which lanes exchange them by `shfl_xor` on a GPU. */
template <class __T, class __Operation>
inline __T __combine_tree(__T *__values, unsigned int __count, __Operation &__operation) {
    for (unsigned int __half = __count / 2; __half > 0; __half /= 2)
        for (unsigned int __i = 0; __i < __half; ++__i)
            __values[__i] = __operation(__values[__i], __values[__i + __half]);
    return __values[0];
}
/* Combines the values up to a rank in the order of the scans of a GPU. */
template <class __T, class __Operation>
inline __T __combine_before(__T *__values, unsigned int __rank, __Operation &__operation) {
    for (unsigned int __step = 1; __step <= __rank; __step *= 2)
        for (unsigned int __i = __rank; __i >= __step; --__i)
            __values[__i] = __operation(__values[__i], __values[__i - __step]);
    return __values[__rank];
}

template <class __T, class __Operation>
inline __T __reduce_lanes(const __lanes &__in, bool __is_tile, kbuild_cpu_call __call,
                          const __T &__value, __Operation &__operation) {
    __lane_values<__T> __all, __own;
    __in.__gather(__call, __value, __all.__of);
    const unsigned int __count = __in.__count(), __rank = __in.__rank();
    if (!__is_tile && __count < KBUILD_CPU_WARP_SIZE)
        return __combine_before(__all.__of, __count - 1, __operation);
    for (unsigned int __i = 0; __i < __count; ++__i) __own.__of[__i] = __all.__of[__i ^ __rank];
    return __combine_tree(__own.__of, __count, __operation);
}

template <class __T, class __Operation>
inline __T __reduce(const coalesced_group &__group, kbuild_cpu_call __call, const __T &__value,
                    __Operation &__operation) {
    return __reduce_lanes(__group.__get_lanes(), false, __call, __value, __operation);
}
template <unsigned int __N, class __T, class __Operation>
inline __T __reduce(const __tile<__N, false> &__group, kbuild_cpu_call __call, const __T &__value,
                    __Operation &__operation) {
    return __reduce_lanes(__group.__get_lanes(), true, __call, __value, __operation);
}
/* First in each warp, and then over the warps. */
template <unsigned int __N, class __T, class __Operation>
inline __T __reduce(const __tile<__N, true> &__group, kbuild_cpu_call __call, const __T &__value,
                    __Operation &__operation) {
    constexpr unsigned int __warps = __N / KBUILD_CPU_WARP_SIZE;
    const uint64_t *const __all = __group.__exchange(
        __call, __reduce_lanes(__group.__get_warp(), true, __call, __value, __operation));
    __lane_values<__T> __own;
    const unsigned int __warp = __group.thread_rank() / KBUILD_CPU_WARP_SIZE;
    for (unsigned int __i = 0; __i < __warps; ++__i)
        __own.__of[__i] = kbuild_cpu::from_word<__T>(__all[(__i ^ __warp) * KBUILD_CPU_WARP_SIZE]);
    return __combine_tree(__own.__of, __warps, __operation);
}

template <class __Group, class __T, class __Operation>
inline std::decay_t<__T> reduce(const __Group &__group, __T &&__value, __Operation &&__operation,
                                KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __own = __value;
    return __reduce(__group, KBUILD_CPU_GROUP_CALL("reduce()"), __own, __operation);
}

/* Combines the value of an object of cuda::atomic or cuda::atomic_ref with another one.  Returns the
 * old value. */
template <class __Atomic, class __T, class __Operation>
inline __T __update(__Atomic &__to, const __T &__value, __Operation &__operation) {
    __T __old = __to.load();
    while (!__to.compare_exchange_weak(__old, __operation(__old, __value))) {
    }
    return __old;
}

/* `to` is an object of cuda::atomic or cuda::atomic_ref. */
template <class __Group, class __Atomic, class __T, class __Operation>
inline void reduce_update_async(const __Group &__group, __Atomic &&__to, __T &&__value,
                                __Operation &&__operation, KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __result = reduce(__group, __value, __operation, __file, __line);
    if (__group.thread_rank() == 0) __update(__to, __result, __operation);
}
/* `to` is an object of cuda::atomic or cuda::atomic_ref, or a pointer. */
template <class __Group, class __To, class __T, class __Operation>
inline void reduce_store_async(const __Group &__group, __To &&__to, __T &&__value,
                               __Operation &&__operation, KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __result = reduce(__group, __value, __operation, __file, __line);
    if (__group.thread_rank() != 0) return;
    if constexpr (std::is_pointer_v<std::decay_t<__To>>)
        *__to = __result;
    else
        __to.store(__result);
}

KBUILD_CPU_GROUPS_END

#endif
