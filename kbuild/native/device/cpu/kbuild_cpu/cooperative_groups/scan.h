/* Prefix sums over the threads of a group. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_SCAN_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#include <stdint.h>

#pragma GCC system_header

KBUILD_CPU_GROUPS_BEGIN

/* Combines the values up to a rank. */
template <class __T, class __Operation>
inline __T __scan_to(const __T *__values, unsigned int __rank, __Operation &__operation) {
    __lane_values<__T> __copy;
    for (unsigned int __i = 0; __i <= __rank; ++__i) __copy.__of[__i] = __values[__i];
    return __combine_before(__copy.__of, __rank, __operation);
}
/* The exclusive result of the first thread is the value of `T()`, as in CUDA. */
template <bool __is_inclusive, class __T, class __Operation>
inline __T __scan_at(const __T *__values, unsigned int __rank, __Operation &__operation) {
    if (__is_inclusive) return __scan_to(__values, __rank, __operation);
    return __rank == 0 ? __T() : __scan_to(__values, __rank - 1, __operation);
}

/* Without a value to update. */
struct __no_atomic {};

/* Scans the values of a group.  Then, unless there is no value to update, combines that value with
 * the total, and its old value with each result. */
template <bool __is_inclusive, class __T, class __Operation, class __Atomic = const __no_atomic>
inline __T __scan(const __warp_group &__group, kbuild_cpu_call __call, const __T &__value,
                  __Operation &__operation, __Atomic &__to = {}) {
    const __lanes &__in = __group.__get_lanes();
    __lane_values<__T> __all;
    __in.__gather(__call, __value, __all.__of);
    const __T __result = __scan_at<__is_inclusive>(__all.__of, __in.__rank(), __operation);
    if constexpr (std::is_same_v<__Atomic, const __no_atomic>) {
        return __result;
    } else {
        __T __old = __value;
        const unsigned int __last = __in.__count() - 1;
        if (__in.__rank() == __last)
            __old = __update(__to, __scan_to(__all.__of, __last, __operation), __operation);
        return __operation(__in.__read(__call, __old, __last), __result);
    }
}
/* First in each warp, and then over the warps. */
template <bool __is_inclusive, unsigned int __N, class __T, class __Operation,
          class __Atomic = const __no_atomic>
inline __T __scan(const __tile<__N, true> &__group, kbuild_cpu_call __call, const __T &__value,
                  __Operation &__operation, __Atomic &__to = {}) {
    constexpr unsigned int __warps = __N / KBUILD_CPU_WARP_SIZE;
    constexpr bool __updates = !std::is_same_v<__Atomic, const __no_atomic>;
    __lane_values<__T> __all_lanes, __totals;
    __group.__get_warp().__gather(__call, __value, __all_lanes.__of);
    const unsigned int __lane = __group.thread_rank() % KBUILD_CPU_WARP_SIZE;
    const unsigned int __warp = __group.thread_rank() / KBUILD_CPU_WARP_SIZE;
    const __T __result = __scan_at<__is_inclusive>(__all_lanes.__of, __lane, __operation);
    const uint64_t *const __all = __group.__exchange(
        __call, __scan_to(__all_lanes.__of, KBUILD_CPU_WARP_SIZE - 1, __operation));
    for (unsigned int __i = 0; __i < __warps; ++__i)
        __totals.__of[__i] = kbuild_cpu::from_word<__T>(__all[__i * KBUILD_CPU_WARP_SIZE]);
    __T __before = __scan_at<false>(__totals.__of, __warp, __operation);
    if constexpr (__updates) {
        __T __old = __value;
        if (__group.thread_rank() == 0)
            __old = __update(__to, __scan_to(__totals.__of, __warps - 1, __operation), __operation);
        __old = kbuild_cpu::from_word<__T>(__group.__exchange(__call, __old)[0]);
        __before = __warp == 0 ? __old : __operation(__before, __old);
    }
    if (!__is_inclusive && __lane == 0) return __before;
    return __warp == 0 && !__updates ? __result : __operation(__result, __before);
}

template <class __Group, class __T, class __Operation>
inline std::decay_t<__T> inclusive_scan(const __Group &__group, __T &&__value,
                                        __Operation &&__operation, KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __own = __value;
    return __scan<true>(__group, KBUILD_CPU_GROUP_CALL("inclusive_scan()"), __own, __operation);
}
template <class __Group, class __T, class __Operation>
inline std::decay_t<__T> exclusive_scan(const __Group &__group, __T &&__value,
                                        __Operation &&__operation, KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __own = __value;
    return __scan<false>(__group, KBUILD_CPU_GROUP_CALL("exclusive_scan()"), __own, __operation);
}
template <class __Group, class __T>
inline std::decay_t<__T> inclusive_scan(const __Group &__group, __T &&__value) {
    return inclusive_scan(__group, __value, plus<std::decay_t<__T>>());
}
template <class __Group, class __T>
inline std::decay_t<__T> exclusive_scan(const __Group &__group, __T &&__value) {
    return exclusive_scan(__group, __value, plus<std::decay_t<__T>>());
}

/* `to` is an object of cuda::atomic or cuda::atomic_ref. */
template <class __Group, class __Atomic, class __T, class __Operation>
inline std::decay_t<__T> inclusive_scan_update(const __Group &__group, __Atomic &&__to,
                                               __T &&__value, __Operation &&__operation,
                                               KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __own = __value;
    return __scan<true>(__group, KBUILD_CPU_GROUP_CALL("inclusive_scan_update()"), __own,
                        __operation, __to);
}
template <class __Group, class __Atomic, class __T, class __Operation>
inline std::decay_t<__T> exclusive_scan_update(const __Group &__group, __Atomic &&__to,
                                               __T &&__value, __Operation &&__operation,
                                               KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __own = __value;
    return __scan<false>(__group, KBUILD_CPU_GROUP_CALL("exclusive_scan_update()"), __own,
                         __operation, __to);
}
template <class __Group, class __Atomic, class __T>
inline std::decay_t<__T> inclusive_scan_update(const __Group &__group, __Atomic &&__to,
                                               __T &&__value) {
    return inclusive_scan_update(__group, __to, __value, plus<std::decay_t<__T>>());
}
template <class __Group, class __Atomic, class __T>
inline std::decay_t<__T> exclusive_scan_update(const __Group &__group, __Atomic &&__to,
                                               __T &&__value) {
    return exclusive_scan_update(__group, __to, __value, plus<std::decay_t<__T>>());
}

KBUILD_CPU_GROUPS_END

#endif
