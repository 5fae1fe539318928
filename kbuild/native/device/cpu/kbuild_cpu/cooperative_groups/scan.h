/* Prefix sums over the threads of a group. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_SCAN_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#pragma GCC system_header

KBUILD_CPU_GROUPS_BEGIN

/* Combines the values of the thread and of those before it, in the order of GPUs. */
template <class __T, class __Operation>
inline __T __scan(const __lanes &__in, const kbuild_cpu_call &__call, const __T &__value,
                  __Operation &__operation, bool __is_inclusive) {
    union __storage {
        __T __values[KBUILD_CPU_WARP_SIZE];
        __storage() {}
    } __all;
    __in.__gather(__call, __value, __all.__values);
    const unsigned int __rank = __in.__rank();
    if (__rank == 0) return __is_inclusive ? __value : __T();
    const unsigned int __last = __is_inclusive ? __rank : __rank - 1;
    for (unsigned int __step = 1; __step <= __last; __step *= 2)
        for (unsigned int __i = __last; __i >= __step; --__i)
            __all.__values[__i] = __operation(__all.__values[__i - __step], __all.__values[__i]);
    return __all.__values[__last];
}

template <class __Group, class __T, class __Operation>
inline std::decay_t<__T> inclusive_scan(const __Group &__group, __T &&__value,
                                        __Operation &&__operation, KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __own = __value;
    return __scan(__group.__get_lanes(), KBUILD_CPU_GROUP_CALL("inclusive_scan()"), __own,
                  __operation, true);
}
/* The first thread's result is the value of `T()`, as in CUDA. */
template <class __Group, class __T, class __Operation>
inline std::decay_t<__T> exclusive_scan(const __Group &__group, __T &&__value,
                                        __Operation &&__operation, KBUILD_CPU_CALLER) {
    const std::decay_t<__T> __own = __value;
    return __scan(__group.__get_lanes(), KBUILD_CPU_GROUP_CALL("exclusive_scan()"), __own,
                  __operation, false);
}
template <class __Group, class __T>
inline std::decay_t<__T> inclusive_scan(const __Group &__group, __T &&__value) {
    return inclusive_scan(__group, __value, plus<std::decay_t<__T>>());
}
template <class __Group, class __T>
inline std::decay_t<__T> exclusive_scan(const __Group &__group, __T &&__value) {
    return exclusive_scan(__group, __value, plus<std::decay_t<__T>>());
}

KBUILD_CPU_GROUPS_END

#endif
