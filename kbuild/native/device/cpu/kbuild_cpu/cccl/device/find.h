/* cub::DeviceFind. */
#ifndef KBUILD_CPU_CCCL_DEVICE_FIND_H
#define KBUILD_CPU_CCCL_DEVICE_FIND_H

#include "for.h"

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_find.cuh>
#include <cub/device/dispatch/tuning/tuning_find_bound_sorted_values.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* The first element of each part, or the number of all elements. */
struct find_in_parts {
    template <class __In, class __Predicate>
    static void run(size_t __part, __In __in, parts __parts, size_t __items, size_t *__found,
                    __Predicate __predicate) {
        const size_t __last = __parts.last(__part, __items);
        size_t __i = __parts.first(__part);
        while (__i < __last && !__predicate(__in[__i])) ++__i;
        __found[__part] = __i < __last ? __i : __items;
    }
};
struct find_in_results {
    template <class __Out>
    static void run(size_t, const size_t *__found, size_t __count, size_t __items, __Out __out) {
        size_t __first = __items;
        for (size_t __i = 0; __i < __count && __first == __items; ++__i) __first = __found[__i];
        *__out = static_cast<value_or<__Out, long long>>(__first);
    }
};
/* Where a value belongs in a sorted range: before or behind the elements that are equal. */
template <bool __is_upper, class __Range, class __Less>
struct bound {
    __Range range;
    long long items;
    __Less less;
    template <class __T>
    long long operator()(const __T &__value) {
        long long __low = 0, __high = items;
        while (__low < __high) {
            const long long __middle = __low + (__high - __low) / 2;
            bool __is_before;
            if constexpr (__is_upper)
                __is_before = !less(__value, range[__middle]);
            else
                __is_before = less(range[__middle], __value);
            if (__is_before)
                __low = __middle + 1;
            else
                __high = __middle;
        }
        return __low;
    }
};

struct searches {
    template <class __In, class __Out, class __Predicate, class __Number>
    static result<__Number> FindIf(const call &__call, __In __in, __Out __out,
                                   __Predicate __predicate, __Number __items) {
        const size_t __count = count_items(__items);
        const parts __parts = divide(__count);
        return with_storage(__call, __parts.count * sizeof(size_t), [=](char *__memory) {
            size_t *const __found = reinterpret_cast<size_t *>(__memory);
            const cudaError_t __error = launch<find_in_parts>(
                __call.stream, __parts.count, __in, __parts, __count, __found, __predicate);
            if (__error != cudaSuccess) return __error;
            return launch<find_in_results>(__call.stream, 1, static_cast<const size_t *>(__found),
                                           __parts.count, __count, __out);
        });
    }
#define KBUILD_CPU_BOUND(name, is_upper) \
    template <class __Range, class __N, class __Values, class __M, class __Out, class __Less> \
    static result<::cuda::std::_If<::cuda::std::is_integral_v<__N>, __M, void>> name( \
        const call &__call, __Range __range, __N __items, __Values __values, __M __count, \
        __Out __out, __Less __less) { \
        return transforms::Transform( \
            __call, __values, __out, __count, \
            bound<is_upper, unwrapped<__Range>, __Less>{ \
                unwrap(__range), static_cast<long long>(count_items(__items)), __less}); \
    }
    KBUILD_CPU_BOUND(LowerBound, false)
    KBUILD_CPU_BOUND(LowerBoundSortedValues, false)
    KBUILD_CPU_BOUND(UpperBound, true)
    KBUILD_CPU_BOUND(UpperBoundSortedValues, true)
#undef KBUILD_CPU_BOUND
};

}  // namespace kbuild_device

struct DeviceFind {
    KBUILD_CPU_ALGORITHM(searches, FindIf)
    KBUILD_CPU_ALGORITHM(searches, LowerBound)
    KBUILD_CPU_ALGORITHM(searches, LowerBoundSortedValues)
    KBUILD_CPU_ALGORITHM(searches, UpperBound)
    KBUILD_CPU_ALGORITHM(searches, UpperBoundSortedValues)
};

CUB_NAMESPACE_END

#endif
