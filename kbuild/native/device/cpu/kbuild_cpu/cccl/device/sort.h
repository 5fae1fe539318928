/* cub::DeviceMergeSort, and what all sorts have in common.  All of them are stable. */
#ifndef KBUILD_CPU_CCCL_DEVICE_SORT_H
#define KBUILD_CPU_CCCL_DEVICE_SORT_H

#include "launch.h"

#include <cuda/std/tuple>

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_merge_sort.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* The values of sorts of keys alone. */
struct no_values {
    using value_type = no_values;
    no_values operator+(long long) const { return {}; }
    no_values operator[](long long) const { return {}; }
};

/* Copies elements with their values, if there are any. */
template <class __From, class __FromValues, class __To, class __ToValues>
void move_element(__From __from, __FromValues __values, long long __i, __To __to,
                  __ToValues __to_values, long long __j) {
    __to[__j] = __from[__i];
    if constexpr (!::cuda::std::is_same_v<__ToValues, no_values>) __to_values[__j] = __values[__i];
}

template <class __K, class __V, class __To, class __ToV, class __Less>
void merge_runs(__K __keys, __V __values, long long __first, long long __middle, long long __last,
                __To __to, __ToV __to_values, __Less &__less) {
    long long __a = __first, __b = __middle;
    for (long long __place = __first; __place < __last; ++__place) {
        const bool __is_second =
            __a == __middle || (__b < __last && __less(__keys[__b], __keys[__a]));
        move_element(__keys, __values, __is_second ? __b++ : __a++, __to, __to_values, __place);
    }
}
template <class __K, class __V, class __Less>
void insert_run(__K __keys, __V __values, long long __first, long long __last, __Less &__less) {
    for (long long __i = __first + 1; __i < __last; ++__i) {
        const value_of<__K> __key = __keys[__i];
        long long __place = __i;
        if constexpr (::cuda::std::is_same_v<__V, no_values>) {
            for (; __place > __first && __less(__key, __keys[__place - 1]); --__place)
                __keys[__place] = __keys[__place - 1];
        } else {
            const value_of<__V> __value = __values[__i];
            for (; __place > __first && __less(__key, __keys[__place - 1]); --__place)
                move_element(__keys, __values, __place - 1, __keys, __values, __place);
            __values[__place] = __value;
        }
        __keys[__place] = __key;
    }
}
/* Sorts a range, with memory for the same range. */
template <class __K, class __V, class __T, class __W, class __Less>
void merge_sort(__K __keys, __V __values, long long __first, long long __last, __T __other,
                __W __other_values, __Less &__less) {
    constexpr long long __short = 16;
    const auto __end_of = [=](long long __begin, long long __size) {
        return __last - __begin < __size ? __last : __begin + __size;
    };
    for (long long __i = __first; __i < __last; __i += __short)
        insert_run(__keys, __values, __i, __end_of(__i, __short), __less);
    bool __is_other = false;
    for (long long __size = __short; __size < __last - __first; __size *= 2) {
        for (long long __i = __first; __i < __last; __i += 2 * __size) {
            const long long __middle = __end_of(__i, __size), __end = __end_of(__i, 2 * __size);
            if (__is_other)
                merge_runs(__other, __other_values, __i, __middle, __end, __keys, __values, __less);
            else
                merge_runs(__keys, __values, __i, __middle, __end, __other, __other_values, __less);
        }
        __is_other = !__is_other;
    }
    if (__is_other)
        for (long long __i = __first; __i < __last; ++__i)
            move_element(__other, __other_values, __i, __keys, __values, __i);
}

struct sort_parts {
    template <class __K, class __V, class __T, class __W, class __Less>
    static void run(size_t __part, __K __keys, __V __values, __T *__other, __W *__other_values,
                    parts __parts, size_t __items, __Less __less) {
        if constexpr (::cuda::std::is_same_v<__V, no_values>)
            merge_sort(__keys, __values, __parts.first(__part), __parts.last(__part, __items),
                       __other, no_values{}, __less);
        else
            merge_sort(__keys, __values, __parts.first(__part), __parts.last(__part, __items),
                       __other, __other_values, __less);
    }
};
/* Merges pairs of sorted runs from one memory into the other. */
struct merge_parts {
    template <class __K, class __V, class __To, class __ToV, class __Less>
    static void run(size_t __part, __K __keys, __V __values, __To __to, __ToV __to_values,
                    long long __size, long long __items, __Less __less) {
        const long long __first = static_cast<long long>(__part) * 2 * __size;
        const long long __middle = __first + __size < __items ? __first + __size : __items;
        const long long __last = __first + 2 * __size < __items ? __first + 2 * __size : __items;
        merge_runs(__keys, __values, __first, __middle, __last, __to, __to_values, __less);
    }
};
struct copy_elements {
    template <class __From, class __FromV, class __To, class __ToV>
    static void run(size_t __part, __From __from, __FromV __values, __To __to, __ToV __to_values,
                    parts __parts, size_t __items) {
        const long long __last = static_cast<long long>(__parts.last(__part, __items));
        for (long long __i = static_cast<long long>(__parts.first(__part)); __i < __last; ++__i)
            move_element(__from, __values, __i, __to, __to_values, __i);
    }
};

inline size_t align(size_t __bytes) { return (__bytes + 255) / 256 * 256; }

template <class __K, class __V, class __Less>
cudaError_t sort(const call &__call, __K __keys, __V __values, size_t __items, __Less __less) {
    using __Key = value_of<__K>;
    using __Value =
        typename ::cuda::std::_If<::cuda::std::is_same_v<__V, no_values>,
                                  ::cuda::std::type_identity<char>, value_type_of<__V>>::type;
    constexpr bool __has_values = !::cuda::std::is_same_v<__V, no_values>;
    const size_t __first = align(__items * sizeof(__Key));
    const size_t __needed = __first + (__has_values ? __items * sizeof(__Value) : 0);
    return with_storage(__call, __needed, [=](char *__memory) {
        __Key *const __other = reinterpret_cast<__Key *>(__memory);
        __Value *const __other_values = reinterpret_cast<__Value *>(__memory + __first);
        const parts __parts = divide(__items, 1 << 15);
        cudaError_t __error = launch<sort_parts>(__call.stream, __parts.count, __keys, __values,
                                                 __other, __other_values, __parts, __items, __less);
        const auto __values_there = [=] {
            if constexpr (__has_values)
                return __other_values;
            else
                return no_values{};
        }();
        bool __is_other = false;
        for (size_t __size = __parts.size; __size < __items && __error == cudaSuccess;
             __size *= 2) {
            const size_t __count = (__items + 2 * __size - 1) / (2 * __size);
            const long long __n = static_cast<long long>(__items);
            const long long __length = static_cast<long long>(__size);
            __error = __is_other
                          ? launch<merge_parts>(__call.stream, __count, __other, __values_there,
                                                __keys, __values, __length, __n, __less)
                          : launch<merge_parts>(__call.stream, __count, __keys, __values, __other,
                                                __values_there, __length, __n, __less);
            __is_other = !__is_other;
        }
        if (!__is_other || __error != cudaSuccess) return __error;
        return launch<copy_elements>(__call.stream, __parts.count, __other, __values_there, __keys,
                                     __values, __parts, __items);
    });
}
template <class __KIn, class __VIn, class __K, class __V, class __Less>
cudaError_t sort_copy(const call &__call, __KIn __keys_in, __VIn __values_in, __K __keys,
                      __V __values, size_t __items, __Less __less) {
    if (__call.storage != nullptr) {
        const parts __parts = divide(__items);
        const cudaError_t __error =
            launch<copy_elements>(__call.stream, __parts.count, __keys_in, __values_in, __keys,
                                  __values, __parts, __items);
        if (__error != cudaSuccess) return __error;
    }
    return sort(__call, __keys, __values, __items, __less);
}

struct merge_sorts {
#define KBUILD_CPU_SORT(prefix) \
    template <class __K, class __V, class __Number, class __Less> \
    static cudaError_t prefix##SortPairs(const call &__call, __K __keys, __V __values, \
                                         __Number __items, __Less __less) { \
        return sort(__call, __keys, __values, count_items(__items), __less); \
    } \
    template <class __K, class __Number, class __Less> \
    static cudaError_t prefix##SortKeys(const call &__call, __K __keys, __Number __items, \
                                        __Less __less) { \
        return sort(__call, __keys, no_values{}, count_items(__items), __less); \
    } \
    template <class __KIn, class __K, class __Number, class __Less> \
    static cudaError_t prefix##SortKeysCopy(const call &__call, __KIn __in, __K __keys, \
                                            __Number __items, __Less __less) { \
        return sort_copy(__call, __in, no_values{}, __keys, no_values{}, count_items(__items), \
                         __less); \
    }
    KBUILD_CPU_SORT()
    KBUILD_CPU_SORT(Stable)
#undef KBUILD_CPU_SORT
    template <class __KIn, class __VIn, class __K, class __V, class __Number, class __Less>
    static cudaError_t SortPairsCopy(const call &__call, __KIn __in, __VIn __values_in, __K __keys,
                                     __V __values, __Number __items, __Less __less) {
        return sort_copy(__call, __in, __values_in, __keys, __values, count_items(__items), __less);
    }
};

}  // namespace kbuild_device

struct DeviceMergeSort {
    KBUILD_CPU_ALGORITHM(merge_sorts, SortKeys)
    KBUILD_CPU_ALGORITHM(merge_sorts, SortKeysCopy)
    KBUILD_CPU_ALGORITHM(merge_sorts, SortPairs)
    KBUILD_CPU_ALGORITHM(merge_sorts, SortPairsCopy)
    KBUILD_CPU_ALGORITHM(merge_sorts, StableSortKeys)
    KBUILD_CPU_ALGORITHM(merge_sorts, StableSortKeysCopy)
    KBUILD_CPU_ALGORITHM(merge_sorts, StableSortPairs)
};

CUB_NAMESPACE_END

#endif
