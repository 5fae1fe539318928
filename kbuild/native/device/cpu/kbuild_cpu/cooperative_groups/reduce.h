/* Reductions over the threads of a group. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_REDUCE_H

#include "groups.h"

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

/* Combines the values in the order of a tree, as GPUs do. */
template <class __Group, class __T, class __Operation>
inline std::decay_t<__T> reduce(const __Group &__group, __T &&__value, __Operation &&__operation,
                                KBUILD_CPU_CALLER) {
    typedef std::decay_t<__T> __value_t;
    const __lanes &__in = __group.__get_lanes();
    union __storage {
        __value_t __values[KBUILD_CPU_WARP_SIZE];
        __storage() {}
    } __all;
    const __value_t __own = __value;
    __in.__gather(KBUILD_CPU_GROUP_CALL("reduce()"), __own, __all.__values);
    for (unsigned int __count = __in.__count(); __count > 1;) {
        const unsigned int __half = (__count + 1) / 2;
        for (unsigned int __i = 0; __i + __half < __count; ++__i)
            __all.__values[__i] = __operation(__all.__values[__i], __all.__values[__i + __half]);
        __count = __half;
    }
    return __all.__values[0];
}

KBUILD_CPU_GROUPS_END

#endif
