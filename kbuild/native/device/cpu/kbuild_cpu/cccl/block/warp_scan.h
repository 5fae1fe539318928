/* cub::WarpScan in kernels that are divided into regions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_WARP_SCAN_H
#define KBUILD_CPU_CCCL_BLOCK_WARP_SCAN_H

#include "operators.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

/* What a lane brings to a scan of its warp. */
template <class __T, int __Width, class __Operator, bool __Initial>
struct warp_scanned {
    static constexpr char name[] = "Scan";
    static_assert(is_team_value<__T, __Operator>,
                  "kbuild: threads cannot combine such values in a region");

    __T value;
    __T initial;
    __T *inclusive;
    __T *exclusive;
    __T *aggregate;
    __Operator op;

    void result() const {}
    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        visit_warps<__Width>(__of.caller, __set, __live, [&](int __first) {
            __T __values[__Width], __initials[__Width], __inclusive[__Width], __exclusive[__Width];
            for (int __i = 0; __i < __Width; ++__i) {
                __values[__i] = __of.entries[__first + __i].value;
                if constexpr (__Initial) __initials[__i] = __of.entries[__first + __i].initial;
            }
            const __T __all = scan_lanes<__Width, __Operator>(
                __values, __inclusive, __exclusive, __Initial ? __initials : nullptr, __first,
                combination<__T, __Frame>{__set.of, __of});
            for (int __i = 0; __i < __Width; ++__i) {
                const warp_scanned &__entry = __of.entries[__first + __i];
                if (__entry.aggregate != nullptr) *__entry.aggregate = __all;
                if (__entry.inclusive != nullptr) *__entry.inclusive = __inclusive[__i];
                if (__entry.exclusive != nullptr) *__entry.exclusive = __exclusive[__i];
            }
        });
    }
};
template <class __T, int __Width>
struct warp_broadcast {
    static constexpr char name[] = "Broadcast";
    static_assert(::cuda::std::is_trivially_copyable_v<__T> && sizeof(__T) <= 64,
                  "kbuild: threads cannot exchange such values in a region");

    __T value;
    unsigned source;

    const __T &result() const { return value; }
    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        visit_warps<__Width>(__of.caller, __set, __live, [&](int __first) {
            __T __values[__Width];
            for (int __i = 0; __i < __Width; ++__i)
                __values[__i] = __of.entries[__first + __i].value;
            for (int __i = 0; __i < __Width; ++__i) {
                auto &__entry = __of.entries[__first + __i];
                __entry.value = __values[__entry.source & (__Width - 1)];
            }
        });
    }
};

template <class __T, int __Width>
struct primitive<CUB_NS_QUALIFIER::WarpScan<__T, __Width>> {
    static_assert(is_power_of_two(__Width),
                  "kbuild: lanes of a region are in warps of powers of two");
    using __plus = ::cuda::std::plus<>;
    template <class __Operator, bool __Initial = false>
    using __entry = warp_scanned<__T, __Width, __Operator, __Initial>;

    primitive() = default;
    primitive(typename CUB_NS_QUALIFIER::WarpScan<__T, __Width>::TempStorage &) {}

    __entry<__plus> InclusiveSum(__T __value, __T &__to) const {
        return InclusiveScan(__value, __to, __plus{});
    }
    __entry<__plus> InclusiveSum(__T __value, __T &__to, __T &__all) const {
        return InclusiveScan(__value, __to, __plus{}, __all);
    }
    __entry<__plus, true> ExclusiveSum(__T __value, __T &__to) const {
        return ExclusiveScan(__value, __to, __T{}, __plus{});
    }
    __entry<__plus, true> ExclusiveSum(__T __value, __T &__to, __T &__all) const {
        return ExclusiveScan(__value, __to, __T{}, __plus{}, __all);
    }
#define KBUILD_CPU_WARP_SCAN(name, inclusive, exclusive, ...) \
    template <class __Operator> \
    __entry<__Operator> name(__T __value, __VA_ARGS__, __Operator __op) const { \
        return {__value, {}, inclusive, exclusive, nullptr, __op}; \
    } \
    template <class __Operator> \
    __entry<__Operator, true> name(__T __value, __VA_ARGS__, __T __initial, __Operator __op) \
        const { \
        return {__value, __initial, inclusive, exclusive, nullptr, __op}; \
    }
#define KBUILD_CPU_WARP_SCAN_OF_ALL(name, inclusive, exclusive, ...) \
    template <class __Operator> \
    __entry<__Operator> name(__T __value, __VA_ARGS__, __Operator __op, __T &__all) const { \
        return {__value, {}, inclusive, exclusive, __builtin_addressof(__all), __op}; \
    } \
    template <class __Operator> \
    __entry<__Operator, true> name(__T __value, __VA_ARGS__, __T __initial, __Operator __op, \
                                   __T &__all) const { \
        return {__value, __initial, inclusive, exclusive, __builtin_addressof(__all), __op}; \
    }
    KBUILD_CPU_WARP_SCAN(InclusiveScan, __builtin_addressof(__to), nullptr, __T &__to)
    KBUILD_CPU_WARP_SCAN_OF_ALL(InclusiveScan, __builtin_addressof(__to), nullptr, __T &__to)
    KBUILD_CPU_WARP_SCAN(ExclusiveScan, nullptr, __builtin_addressof(__to), __T &__to)
    KBUILD_CPU_WARP_SCAN_OF_ALL(ExclusiveScan, nullptr, __builtin_addressof(__to), __T &__to)
    KBUILD_CPU_WARP_SCAN(Scan, __builtin_addressof(__to), __builtin_addressof(__before), __T &__to,
                         __T &__before)
#undef KBUILD_CPU_WARP_SCAN
#undef KBUILD_CPU_WARP_SCAN_OF_ALL
    warp_broadcast<__T, __Width> Broadcast(__T __value, unsigned __source) const {
        return {__value, __source};
    }
};

}  // namespace kbuild_cpu::regions

CUB_NAMESPACE_BEGIN
template <typename, int>
class KBUILD_WARP_PRIMITIVE WarpScan;
CUB_NAMESPACE_END

#endif
