/* cub::WarpReduce in kernels that are divided into regions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_WARP_REDUCE_H
#define KBUILD_CPU_CCCL_BLOCK_WARP_REDUCE_H

#include "reducing.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

template <int __Width>
struct warp_reduction {
    template <class __T, class __Frame, class __Combine>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of,
                    const __Combine &__combine) {
        check_tiles<__Width>(__of.caller, __set, __live);
        for (int __first = 0; __first < __set.of.threads; __first += __Width) {
            const unsigned __lanes =
                __set.lanes(__first / 32) >> (__first & 31) & ~0u >> (32 - __Width);
            if (__lanes == 0) continue;
            const int __brought = __of.entries[find_first(__set, __first)].valid;
            const int __valid = __brought < __Width ? __brought : __Width;
            if (__valid > 0 && (~__lanes & ~0u >> (32 - __valid)) != 0)
                reject_team(__of.caller, __set);
            __T __values[__Width];
            take_values(__values, __set, __first, __of);
            reduce_lanes<__Width>(__values, __first, __valid, __combine);
            if ((__lanes & 1) != 0) __of.entries[__first].value = __values[0];
        }
    }
};

/* What a lane brings to a reduction of the lanes up to a flag. */
template <class __T, int __Width, class __Operator, bool __Head>
struct segmented_reduction {
    static constexpr char name[] = "SegmentedReduce";
    static_assert(is_team_value<__T, __Operator>,
                  "kbuild: threads cannot combine such values in a region");

    __T value;
    int flag;
    __Operator op;

    const __T &result() const { return value; }
    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        const combination<__T, __Frame> __combine{__set.of, __of};
        visit_warps<__Width>(__of.caller, __set, __live, [&](int __first) {
            int __last[__Width];
            for (int __i = __Width - 1; __i >= 0; --__i) {
                const int __place = __i + __Head;
                const bool __is_last =
                    __i == __Width - 1 || __of.entries[__first + __place].flag != 0;
                __last[__i] = __is_last ? __i : __last[__i + 1];
            }
            for (int __offset = 1; __offset < __Width; __offset *= 2)
                for (int __i = 0; __i + __offset < __Width; ++__i)
                    if (__i + __offset <= __last[__i])
                        __of.entries[__first + __i].value =
                            __combine(__first + __i, __of.entries[__first + __i].value,
                                      __of.entries[__first + __i + __offset].value);
        });
    }
};

template <class __T, int __Width>
struct primitive<CUB_NS_QUALIFIER::WarpReduce<__T, __Width>>
    : reducing<warp_reduction<__Width>, __Width, __T> {
    static_assert(is_power_of_two(__Width),
                  "kbuild: lanes of a region are in warps of powers of two");
    using __base = reducing<warp_reduction<__Width>, __Width, __T>;

    primitive() = default;
    primitive(typename CUB_NS_QUALIFIER::WarpReduce<__T, __Width>::TempStorage &) {}

#define KBUILD_CPU_WARP_REDUCE(name, function) \
    auto name(__T __value) const { return __base::Reduce(__value, function{}); } \
    template <int __Items> \
    auto name(__T(&__values)[__Items]) const { \
        return __base::Reduce(__values, function{}); \
    } \
    auto name(__T __value, int __valid) const { \
        return __base::Reduce(__value, function{}, __valid); \
    }
    KBUILD_CPU_WARP_REDUCE(Max, ::cuda::maximum<>)
    KBUILD_CPU_WARP_REDUCE(Min, ::cuda::minimum<>)
#undef KBUILD_CPU_WARP_REDUCE

#define KBUILD_CPU_SEGMENTED(name, is_head) \
    template <class __Operator, class __Flag> \
    segmented_reduction<__T, __Width, __Operator, is_head> name##Reduce( \
        __T __value, __Flag __flag, __Operator __op) const { \
        const int __is_set = __flag; \
        return {__value, __is_set, __op}; \
    } \
    template <class __Flag> \
    auto name##Sum(__T __value, __Flag __flag) const { \
        return name##Reduce(__value, __flag, ::cuda::std::plus<>{}); \
    }
    KBUILD_CPU_SEGMENTED(HeadSegmented, true)
    KBUILD_CPU_SEGMENTED(TailSegmented, false)
#undef KBUILD_CPU_SEGMENTED
};

}  // namespace kbuild_cpu::regions

CUB_NAMESPACE_BEGIN
template <typename, int>
class KBUILD_WARP_PRIMITIVE WarpReduce;
CUB_NAMESPACE_END

#endif
