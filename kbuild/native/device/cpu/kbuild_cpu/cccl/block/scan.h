/* cub::BlockScan and cub::WarpScan in kernels that are divided into regions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_SCAN_H
#define KBUILD_CPU_CCCL_BLOCK_SCAN_H

#include "operators.h"

#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_scan.cuh>

#pragma GCC system_header

namespace kbuild_cpu::regions {

struct no_callback {};
/* What comes before the first value: nothing, an initial value, or one that the first thread does not use. */
enum class scan_start { none, value, zero };

/* What a thread brings: a value, or the combination of its items, and where the results belong. */
template <class __Order, class __T, class __Operator, bool __Inclusive, scan_start __Start,
          int __Items, class __Callback = no_callback>
struct scanned {
    static constexpr char name[] = "Scan";
    static_assert(is_team_value<__T, __Operator>,
                  "kbuild: threads cannot combine such values in a region");
    static constexpr bool has_callback = !is_same_v<__Callback, no_callback>;
    using value_type = __T;
    using operator_type = __Operator;

    __T value;
    __T initial;
    __T *items;
    __T *outputs;
    __T *aggregate;
    __Callback *callback;
    __Operator op;

    void result() const {}
    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        __Order::template run<scanned>(__set, __live, __of);
    }

    /* The value of a thread's inclusive or exclusive scan among the threads, if it has no items. */
    static constexpr bool is_inclusive = __Inclusive && __Items == 0;
    static constexpr bool has_initial = __Start != scan_start::none;
    template <class __Frame>
    static void finish(const block &__block, __Frame &__of, int __number, const __T &__prefix,
                       const __T &__all) {
        scanned &__entry = __of.entries[__number];
        [[maybe_unused]] const bool __has_prefix =
            __number != 0 || __Start == scan_start::value || has_callback;
        if constexpr (__Items == 0) {
            *__entry.outputs = __prefix;
        } else {
            [[maybe_unused]] const auto __inside = __of.enter(__block, __number);
            if constexpr (__Inclusive)
                CUB_NS_QUALIFIER::detail::ThreadScanInclusive<__Items>(
                    __entry.items, __entry.outputs, __entry.op, __prefix, __has_prefix);
            else
                CUB_NS_QUALIFIER::detail::ThreadScanExclusive<__Items>(
                    __entry.items, __entry.outputs, __entry.op, __prefix, __has_prefix);
        }
        if (__entry.aggregate != nullptr) *__entry.aggregate = __all;
    }
};

/* Calls the callback of the first threads, which have the combination of all values. The first one knows
 * what comes before them. */
template <class __Entry, class __Frame, class __T>
__T call_back(const block &__block, __Frame &__of, int __threads, const __T &__all) {
    __T __before{};
    for (int __i = 0; __i < __threads; ++__i) {
        [[maybe_unused]] const auto __inside = __of.enter(__block, __i);
        __T __passed = __all;
        const __T __result = (*__of.entries[__i].callback)(__passed);
        if (__i == 0) __before = __result;
    }
    return __before;
}

/* Replaces the values of threads by their scan. Returns the combination of all. */
template <int __Threads>
struct scan_of_segments {
    template <class __Entry, class __T, class __Frame, class __Combine>
    static __T scan(const block &__block, __Frame &__of, __T (&__values)[__Threads],
                    const __Combine &__combine) {
        using __layout = raking_layout<__Threads>;
        constexpr int __count = __layout::segments, __length = __layout::length;
        constexpr bool __is_direct = __length == 1;
        __T __inputs[__count], __inclusive[__count], __exclusive[__count], __initials[__count];
        for (int __i = 0; __i < __count; ++__i) {
            __inputs[__i] = __values[__i * __length];
            for (int __k = __i * __length + 1; __k < (__i + 1) * __length && __k < __Threads; ++__k)
                __inputs[__i] = __combine(__i, __inputs[__i], __values[__k]);
            if constexpr (__Entry::has_initial) __initials[__i] = __of.entries[__i].initial;
        }
        const __T __all = scan_lanes<__count, typename __Entry::operator_type>(
            __inputs, __inclusive, __exclusive, __Entry::has_initial ? __initials : nullptr, 0,
            __combine);
        bool __has_first = __Entry::has_initial;
        if constexpr (__Entry::has_callback) {
            const __T __before = call_back<__Entry>(__block, __of, __count, __all);
            for (int __i = 0; __i < __count; ++__i) {
                if constexpr (__is_direct && __Entry::is_inclusive)
                    __inclusive[__i] = __combine(__i, __before, __inclusive[__i]);
                else
                    __exclusive[__i] =
                        __i == 0 ? __before : __combine(__i, __before, __exclusive[__i]);
            }
            __has_first = true;
        }
        if constexpr (__is_direct) {
            for (int __i = 0; __i < __count; ++__i)
                __values[__i] = __Entry::is_inclusive ? __inclusive[__i] : __exclusive[__i];
        } else {
            for (int __i = 0; __i < __count; ++__i) {
                __T __prefix = __exclusive[__i];
                bool __is_known = __i != 0 || __has_first;
                for (int __k = __i * __length; __k < (__i + 1) * __length && __k < __Threads;
                     ++__k) {
                    const __T __next =
                        __is_known ? __combine(__i, __prefix, __values[__k]) : __values[__k];
                    __values[__k] = __Entry::is_inclusive ? __next : __prefix;
                    __prefix = __next;
                    __is_known = true;
                }
            }
        }
        return __all;
    }
};
template <int __Threads>
struct scan_of_warps {
    static_assert(__Threads % 32 == 0);
    template <class __Entry, class __T, class __Frame, class __Combine>
    static __T scan(const block &__block, __Frame &__of, __T (&__values)[__Threads],
                    const __Combine &__combine) {
        __T __inclusive[__Threads], __exclusive[__Threads];
        for (int __first = 0; __first < __Threads; __first += 32)
            scan_lanes<32, typename __Entry::operator_type>(
                __values + __first, __inclusive + __first, __exclusive + __first,
                static_cast<const __T *>(nullptr), __first, __combine);
        __T __all = __inclusive[31];
        for (int __first = 0; __first < __Threads; __first += 32) {
            const __T __before = __all;
            if (__first != 0) __all = __combine(__first, __all, __inclusive[__first + 31]);
            for (int __i = __first; __i < __first + 32; ++__i) {
                if constexpr (__Entry::has_initial) {
                    const __T __prefix = __first == 0
                                             ? __of.entries[__i].initial
                                             : __combine(__i, __of.entries[__i].initial, __before);
                    __values[__i] =
                        __i == __first ? __prefix : __combine(__i, __prefix, __exclusive[__i]);
                } else if constexpr (__Entry::is_inclusive) {
                    __values[__i] = __first == 0 ? __inclusive[__i]
                                                 : __combine(__i, __before, __inclusive[__i]);
                } else {
                    __values[__i] = __first == 0     ? __exclusive[__i]
                                    : __i == __first ? __before
                                                     : __combine(__i, __before, __exclusive[__i]);
                }
            }
        }
        if constexpr (__Entry::has_callback) {
            const __T __before = call_back<__Entry>(__block, __of, 32, __all);
            for (int __i = 0; __i < __Threads; ++__i)
                __values[__i] = __i == 0 && !__Entry::is_inclusive
                                    ? __before
                                    : __combine(__i, __before, __values[__i]);
        }
        return __all;
    }
};

template <class __Block, int __X, int __Y, int __Z>
struct block_scan {
    static constexpr int threads = __X * __Y * __Z;

    template <class __Entry, class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        using __T = typename __Entry::value_type;
        check_block<__X, __Y, __Z>(__of.caller, __set, __live);
        __T __values[threads];
        for (int __i = 0; __i < threads; ++__i) __values[__i] = __of.entries[__i].value;
        const __T __all = __Block::template scan<__Entry>(
            __set.of, __of, __values, combination<__T, __Frame>{__set.of, __of});
        for (int __i = 0; __i < threads; ++__i)
            __Entry::finish(__set.of, __of, __i, __values[__i], __all);
    }
};

/* The functions of a scan, as CUB declares them. */
template <class __Order, class __T>
struct scanning {
    using __plus = ::cuda::std::plus<>;
    template <class __Operator, bool __Inclusive, scan_start __Start, int __Items,
              class __Callback = no_callback>
    using __entry = scanned<__Order, __T, __Operator, __Inclusive, __Start, __Items, __Callback>;

    template <bool __Inclusive, class __Operator>
    static __entry<__Operator, __Inclusive, scan_start::none, 0> one(const __T &__value, __T &__to,
                                                                     const __Operator &__op,
                                                                     __T *__all = nullptr) {
        return {__value, {}, nullptr, __builtin_addressof(__to), __all, nullptr, __op};
    }
    template <class __Operator>
    static __entry<__Operator, false, scan_start::value, 0> one_from(const __T &__value, __T &__to,
                                                                     const __T &__initial,
                                                                     const __Operator &__op,
                                                                     __T *__all = nullptr) {
        return {__value, __initial, nullptr, __builtin_addressof(__to), __all, nullptr, __op};
    }
    template <bool __Inclusive, class __Operator, class __Callback>
    static __entry<__Operator, __Inclusive, scan_start::none, 0, __Callback> one_behind(
        const __T &__value, __T &__to, const __Operator &__op, __Callback &__callback) {
        return {__value, {},
                nullptr, __builtin_addressof(__to),
                nullptr, __builtin_addressof(__callback),
                __op};
    }
    template <bool __Inclusive, int __Items, class __Operator>
    static auto some(__T (&__from)[__Items], __T (&__to)[__Items], const __Operator &__op,
                     __T *__all = nullptr) {
        if constexpr (__Inclusive && __Items == 1)
            return one<true>(__from[0], __to[0], __op, __all);
        else
            return __entry<__Operator, __Inclusive, scan_start::none, __Items>{
                CUB_NS_QUALIFIER::ThreadReduce(__from, __op),
                {},
                __from,
                __to,
                __all,
                nullptr,
                __op};
    }
    template <bool __Inclusive, scan_start __Start = scan_start::value, int __Items,
              class __Operator>
    static __entry<__Operator, __Inclusive, __Start, __Items> some_from(__T (&__from)[__Items],
                                                                        __T (&__to)[__Items],
                                                                        const __T &__initial,
                                                                        const __Operator &__op,
                                                                        __T *__all = nullptr) {
        return {CUB_NS_QUALIFIER::ThreadReduce(__from, __op),
                __initial,
                __from,
                __to,
                __all,
                nullptr,
                __op};
    }
    template <bool __Inclusive, int __Items, class __Operator, class __Callback>
    static auto some_behind(__T (&__from)[__Items], __T (&__to)[__Items], const __Operator &__op,
                            __Callback &__callback) {
        if constexpr (__Inclusive && __Items == 1)
            return one_behind<true>(__from[0], __to[0], __op, __callback);
        else
            return __entry<__Operator, __Inclusive, scan_start::none, __Items, __Callback>{
                CUB_NS_QUALIFIER::ThreadReduce(__from, __op),
                {},
                __from,
                __to,
                nullptr,
                __builtin_addressof(__callback),
                __op};
    }

    auto ExclusiveSum(__T __value, __T &__to) const {
        return one_from(__value, __to, __T{}, __plus{});
    }
    auto ExclusiveSum(__T __value, __T &__to, __T &__all) const {
        return one_from(__value, __to, __T{}, __plus{}, __builtin_addressof(__all));
    }
    template <class __Callback>
    auto ExclusiveSum(__T __value, __T &__to, __Callback &__callback) const {
        return one_behind<false>(__value, __to, __plus{}, __callback);
    }
    template <int __Items>
    auto ExclusiveSum(__T (&__from)[__Items], __T (&__to)[__Items]) const {
        return some_from<false>(__from, __to, __T{}, __plus{});
    }
    template <int __Items>
    auto ExclusiveSum(__T (&__from)[__Items], __T (&__to)[__Items], __T &__all) const {
        return some_from<false>(__from, __to, __T{}, __plus{}, __builtin_addressof(__all));
    }
    template <int __Items, class __Callback>
    auto ExclusiveSum(__T (&__from)[__Items], __T (&__to)[__Items], __Callback &__callback) const {
        return some_behind<false>(__from, __to, __plus{}, __callback);
    }
    template <class __Operator>
    auto ExclusiveScan(__T __value, __T &__to, __T __initial, __Operator __op) const {
        return one_from(__value, __to, __initial, __op);
    }
    template <class __Operator>
    auto ExclusiveScan(__T __value, __T &__to, __T __initial, __Operator __op, __T &__all) const {
        return one_from(__value, __to, __initial, __op, __builtin_addressof(__all));
    }
    template <class __Operator, class __Callback>
    auto ExclusiveScan(__T __value, __T &__to, __Operator __op, __Callback &__callback) const {
        return one_behind<false>(__value, __to, __op, __callback);
    }
    template <int __Items, class __Operator>
    auto ExclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __T __initial,
                       __Operator __op) const {
        return some_from<false>(__from, __to, __initial, __op);
    }
    template <int __Items, class __Operator>
    auto ExclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __T __initial, __Operator __op,
                       __T &__all) const {
        return some_from<false>(__from, __to, __initial, __op, __builtin_addressof(__all));
    }
    template <int __Items, class __Operator, class __Callback>
    auto ExclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __Operator __op,
                       __Callback &__callback) const {
        return some_behind<false>(__from, __to, __op, __callback);
    }
    template <class __Operator>
    auto ExclusiveScan(__T __value, __T &__to, __Operator __op) const {
        return one<false>(__value, __to, __op);
    }
    template <class __Operator>
    auto ExclusiveScan(__T __value, __T &__to, __Operator __op, __T &__all) const {
        return one<false>(__value, __to, __op, __builtin_addressof(__all));
    }
    template <int __Items, class __Operator>
    auto ExclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __Operator __op) const {
        return some<false>(__from, __to, __op);
    }
    template <int __Items, class __Operator>
    auto ExclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __Operator __op,
                       __T &__all) const {
        return some<false>(__from, __to, __op, __builtin_addressof(__all));
    }

    auto InclusiveSum(__T __value, __T &__to) const { return one<true>(__value, __to, __plus{}); }
    auto InclusiveSum(__T __value, __T &__to, __T &__all) const {
        return one<true>(__value, __to, __plus{}, __builtin_addressof(__all));
    }
    template <class __Callback>
    auto InclusiveSum(__T __value, __T &__to, __Callback &__callback) const {
        return one_behind<true>(__value, __to, __plus{}, __callback);
    }
    template <int __Items>
    static auto sum_some(__T (&__from)[__Items], __T (&__to)[__Items], __T *__all) {
        if constexpr (__Items == 1)
            return one<true>(__from[0], __to[0], __plus{}, __all);
        else
            return some_from<true, scan_start::zero>(__from, __to, __T{}, __plus{}, __all);
    }
    template <int __Items>
    auto InclusiveSum(__T (&__from)[__Items], __T (&__to)[__Items]) const {
        return sum_some(__from, __to, nullptr);
    }
    template <int __Items>
    auto InclusiveSum(__T (&__from)[__Items], __T (&__to)[__Items], __T &__all) const {
        return sum_some(__from, __to, __builtin_addressof(__all));
    }
    template <int __Items, class __Callback>
    auto InclusiveSum(__T (&__from)[__Items], __T (&__to)[__Items], __Callback &__callback) const {
        return some_behind<true>(__from, __to, __plus{}, __callback);
    }
    template <class __Operator>
    auto InclusiveScan(__T __value, __T &__to, __Operator __op) const {
        return one<true>(__value, __to, __op);
    }
    template <class __Operator>
    auto InclusiveScan(__T __value, __T &__to, __Operator __op, __T &__all) const {
        return one<true>(__value, __to, __op, __builtin_addressof(__all));
    }
    template <class __Operator, class __Callback>
    auto InclusiveScan(__T __value, __T &__to, __Operator __op, __Callback &__callback) const {
        return one_behind<true>(__value, __to, __op, __callback);
    }
    template <int __Items, class __Operator>
    auto InclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __Operator __op) const {
        return some<true>(__from, __to, __op);
    }
    template <int __Items, class __Operator>
    auto InclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __T __initial,
                       __Operator __op) const {
        return some_from<true>(__from, __to, __initial, __op);
    }
    template <int __Items, class __Operator>
    auto InclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __Operator __op,
                       __T &__all) const {
        return some<true>(__from, __to, __op, __builtin_addressof(__all));
    }
    template <int __Items, class __Operator>
    auto InclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __T __initial, __Operator __op,
                       __T &__all) const {
        return some_from<true>(__from, __to, __initial, __op, __builtin_addressof(__all));
    }
    template <int __Items, class __Operator, class __Callback>
    auto InclusiveScan(__T (&__from)[__Items], __T (&__to)[__Items], __Operator __op,
                       __Callback &__callback) const {
        return some_behind<true>(__from, __to, __op, __callback);
    }
};

template <int __Algorithm, int __Threads>
using scan_order =
    conditional_t<__Algorithm == CUB_NS_QUALIFIER::BLOCK_SCAN_WARP_SCANS && __Threads % 32 == 0,
                  scan_of_warps<(__Threads + 31) / 32 * 32>, scan_of_segments<__Threads>>;

template <class __T, int __X, CUB_NS_QUALIFIER::BlockScanAlgorithm __Algorithm, int __Y, int __Z>
struct primitive<CUB_NS_QUALIFIER::BlockScan<__T, __X, __Algorithm, __Y, __Z>>
    : scanning<block_scan<scan_order<__Algorithm, __X * __Y * __Z>, __X, __Y, __Z>, __T> {
    primitive() = default;
    primitive(
        typename CUB_NS_QUALIFIER::BlockScan<__T, __X, __Algorithm, __Y, __Z>::TempStorage &) {}
};

}  // namespace kbuild_cpu::regions

CUB_NAMESPACE_BEGIN
template <typename, int, BlockScanAlgorithm, int, int>
class KBUILD_BLOCK_PRIMITIVE BlockScan;
CUB_NAMESPACE_END

#endif
