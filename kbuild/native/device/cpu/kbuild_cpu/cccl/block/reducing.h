/* What reductions of blocks and warps have in common. */
#ifndef KBUILD_CPU_CCCL_BLOCK_REDUCING_H
#define KBUILD_CPU_CCCL_BLOCK_REDUCING_H

#include "operators.h"

#include <cub/thread/thread_reduce.cuh>

#pragma GCC system_header

namespace kbuild_cpu::regions {

/* What a thread brings: its value, and how many threads have one. */
template <class __Order, class __T, class __Operator>
struct reduction {
    static constexpr char name[] = "Reduce";
    static_assert(is_team_value<__T, __Operator>,
                  "kbuild: threads cannot combine such values in a region");

    __T value;
    int valid;
    __Operator op;

    __T result() const { return value; }
    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        __Order::template run<__T>(__set, __live, __of, combination<__T, __Frame>{__set.of, __of});
    }
};

/* The values of some consecutive threads. */
template <class __T, int __Count, class __Frame>
KBUILD_CPU_ALWAYS_INLINE void take_values(__T (&__values)[__Count], const set_view &__set,
                                          int __first, __Frame &__of) {
    for (int __i = 0; __i < __Count && __first + __i < __set.of.threads; ++__i)
        if (__set.has(__first + __i)) __values[__i] = __of.entries[__first + __i].value;
}

template <class __Set>
KBUILD_CPU_ALWAYS_INLINE int find_first(const __Set &__set, int __number) {
    while (!__set.has(__number)) ++__number;
    return __number;
}

template <class __Order, int __Threads, class __T>
struct reducing {
    template <class __Operator>
    using __entry = reduction<__Order, __T, __Operator>;
    using __plus = ::cuda::std::plus<>;

    template <class __Operator>
    KBUILD_CPU_ALWAYS_INLINE __entry<__Operator> Reduce(__T __value, __Operator __op) const {
        return {__value, __Threads, __op};
    }
    template <int __Items, class __Operator>
    KBUILD_CPU_ALWAYS_INLINE __entry<__Operator> Reduce(__T (&__values)[__Items],
                                                        __Operator __op) const {
        return {CUB_NS_QUALIFIER::ThreadReduce(__values, __op), __Threads, __op};
    }
    template <class __Operator>
    KBUILD_CPU_ALWAYS_INLINE __entry<__Operator> Reduce(__T __value, __Operator __op,
                                                        int __valid) const {
        return {__value, __valid, __op};
    }
    KBUILD_CPU_ALWAYS_INLINE __entry<__plus> Sum(__T __value) const {
        return {__value, __Threads, {}};
    }
    template <int __Items>
    KBUILD_CPU_ALWAYS_INLINE __entry<__plus> Sum(__T (&__values)[__Items]) const {
        return {CUB_NS_QUALIFIER::ThreadReduce(__values, __plus{}), __Threads, {}};
    }
    KBUILD_CPU_ALWAYS_INLINE __entry<__plus> Sum(__T __value, int __valid) const {
        return {__value, __valid, {}};
    }
};

}  // namespace kbuild_cpu::regions

#endif
