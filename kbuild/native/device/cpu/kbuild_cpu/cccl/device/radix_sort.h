/* cub::DeviceRadixSort, cub::DeviceSegmentedRadixSort, and cub::DeviceSegmentedSort. */
#ifndef KBUILD_CPU_CCCL_DEVICE_RADIX_SORT_H
#define KBUILD_CPU_CCCL_DEVICE_RADIX_SORT_H

#include "sort.h"

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_segmented_sort.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* The bits of a key in an order that is that of the numbers, and some of them. */
template <class __T>
auto order_bits(const __T &__key) {
    using __Bits = typename Traits<__T>::UnsignedBits;
    __Bits __bits;
    memcpy(&__bits, &__key, sizeof __bits);
    __bits = Traits<__T>::TwiddleIn(__bits);
    /* Zeros are equal. */
    constexpr bool __is_float = ::cuda::is_floating_point_v<__T>;
    if constexpr (__is_float) {
        const __Bits __zero = Traits<__T>::TwiddleIn(__Bits{0});
        if (__bits == static_cast<__Bits>(__zero - 1)) __bits = __zero;
    }
    return __bits;
}
template <bool __is_descending>
struct bit_range {
    int begin, end;
    template <class __T>
    auto get(const __T &__key) const {
        using __Bits = typename Traits<__T>::UnsignedBits;
        __Bits __bits = order_bits(__key);
        if constexpr (__is_descending) __bits = static_cast<__Bits>(~__bits);
        constexpr int __width = 8 * static_cast<int>(sizeof(__Bits));
        if (end < __width) __bits = static_cast<__Bits>(__bits & ((__Bits{1} << end) - 1));
        return begin < __width ? static_cast<__Bits>(__bits >> begin) : __Bits{0};
    }
    template <class __T>
    bool operator()(const __T &__a, const __T &__b) const {
        return get(__a) < get(__b);
    }
};
/* Keys that consist of several numbers, of which the last one has the lowest bits. */
template <bool __is_descending, class __Decompose>
struct decomposed_range {
    __Decompose decompose;
    int begin, end;
    template <class __T>
    bool operator()(const __T &__a, const __T &__b) {
        __T __first = __a, __second = __b;
        const auto __x = decompose(__first);
        const auto __y = decompose(__second);
        return __compare(__x, __y,
                         ::cuda::std::make_index_sequence<
                             ::cuda::std::tuple_size_v<::cuda::std::decay_t<decltype(__x)>>>{});
    }

private:
    template <class __Tuple, size_t... __i>
    bool __compare(const __Tuple &__x, const __Tuple &__y, ::cuda::std::index_sequence<__i...>) {
        int __low = (0 + ... + (8 * static_cast<int>(sizeof(::cuda::std::get<__i>(__x)))));
        int __order = 0;
        ((__order = __order != 0 ? __order
                                 : __compare_one(::cuda::std::get<__i>(__x),
                                                 ::cuda::std::get<__i>(__y), __low)),
         ...);
        return __order < 0;
    }
    template <class __T>
    int __compare_one(const __T &__a, const __T &__b, int &__low) const {
        constexpr int __width = 8 * static_cast<int>(sizeof(__T));
        __low -= __width;
        const int __first = begin > __low ? begin - __low : 0;
        const int __last = end < __low + __width ? end - __low : __width;
        if (__first >= __last) return 0;
        const bit_range<__is_descending> __bits{__first, __last};
        return __bits(__a, __b) ? -1 : __bits(__b, __a) ? 1 : 0;
    }
};

constexpr int digit_bits = 8, digits = 1 << digit_bits;

inline parts divide_for_radix(size_t __items) {
    constexpr size_t __most = 32, __least = 1 << 16;
    const size_t __size = (__items + __most - 1) / __most;
    const size_t __length = __size < __least ? __least : __size;
    return {(__items + __length - 1) / __length, __length};
}
template <bool __is_descending>
struct digit_of {
    bit_range<__is_descending> range;
    template <class __T>
    unsigned int operator()(const __T &__key) const {
        return static_cast<unsigned int>(range.get(__key)) & (digits - 1);
    }
};

struct count_digits {
    template <class __K, class __Digit>
    static void run(size_t __part, const __K *__keys, size_t *__counts, parts __parts,
                    size_t __items, __Digit __digit) {
        size_t __own[digits] = {};
        const size_t __last = __parts.last(__part, __items);
        for (size_t __i = __parts.first(__part); __i < __last; ++__i) ++__own[__digit(__keys[__i])];
        for (int __d = 0; __d < digits; ++__d) __counts[__part * digits + __d] = __own[__d];
    }
};
struct place_digits {
    static void run(size_t, size_t *__counts, size_t __parts) {
        size_t __place = 0;
        for (int __d = 0; __d < digits; ++__d)
            for (size_t __part = 0; __part < __parts; ++__part) {
                const size_t __count = __counts[__part * digits + __d];
                __counts[__part * digits + __d] = __place;
                __place += __count;
            }
    }
};
struct scatter_digits {
    template <class __K, class __FromV, class __ToV, class __Digit>
    static void run(size_t __part, const __K *__keys, __FromV __values, __K *__to,
                    __ToV __to_values, const size_t *__counts, parts __parts, size_t __items,
                    __Digit __digit) {
        size_t __places[digits];
        for (int __d = 0; __d < digits; ++__d) __places[__d] = __counts[__part * digits + __d];
        const size_t __last = __parts.last(__part, __items);
        for (size_t __i = __parts.first(__part); __i < __last; ++__i)
            move_element(__keys, __values, __i, __to, __to_values,
                         __places[__digit(__keys[__i])]++);
    }
};

/* One pass per digit, from the lowest one, between two memories. */
template <bool __is_descending, class __K, class __FromV, class __ToV>
cudaError_t sort_digit(cudaStream_t __stream, size_t *__counts, const __K *__keys, __FromV __values,
                       __K *__to, __ToV __to_values, size_t __items, int __begin, int __end) {
    const parts __parts = divide_for_radix(__items);
    const int __next = __begin + digit_bits;
    const digit_of<__is_descending> __digit{{__begin, __next < __end ? __next : __end}};
    cudaError_t __error =
        launch<count_digits>(__stream, __parts.count, __keys, __counts, __parts, __items, __digit);
    if (__error == cudaSuccess)
        __error = launch<place_digits>(__stream, 1, __counts, __parts.count);
    if (__error != cudaSuccess) return __error;
    return launch<scatter_digits>(__stream, __parts.count, __keys, __values, __to, __to_values,
                                  static_cast<const size_t *>(__counts), __parts, __items, __digit);
}

template <class __V>
struct storage_of {
    static size_t bytes(size_t __items) { return align(__items * sizeof(__V)); }
    static __V *take(char *__memory) { return reinterpret_cast<__V *>(__memory); }
};
template <>
struct storage_of<no_values> {
    static size_t bytes(size_t) { return 0; }
    static no_values take(char *) { return {}; }
};
template <class __V>
struct const_pointer {
    using type = const __V *;
    using changeable = __V *;
};
template <>
struct const_pointer<no_values> {
    using type = no_values;
    using changeable = no_values;
};

template <bool __is_descending, class __K, class __V>
cudaError_t radix_sort(const call &__call, const __K *__keys,
                       typename const_pointer<__V>::type __values, __K *__to,
                       typename const_pointer<__V>::changeable __to_values, size_t __items,
                       int __begin, int __end) {
    using __values_storage = storage_of<__V>;
    const int __passes = __end > __begin ? (__end - __begin + digit_bits - 1) / digit_bits : 0;
    const size_t __counters = align(divide_for_radix(__items).count * digits * sizeof(size_t));
    const size_t __key_bytes = align(__items * sizeof(__K));
    const size_t __needed =
        __counters + (__passes > 1 ? __key_bytes + __values_storage::bytes(__items) : 0);
    return with_storage(__call, __needed, [=](char *__memory) {
        size_t *const __counts = reinterpret_cast<size_t *>(__memory);
        __K *const __other = reinterpret_cast<__K *>(__memory + __counters);
        const auto __other_values = __values_storage::take(__memory + __counters + __key_bytes);
        if (__passes == 0) {
            const parts __parts = divide(__items);
            return launch<copy_elements>(__call.stream, __parts.count, __keys, __values, __to,
                                         __to_values, __parts, __items);
        }
        cudaError_t __error = cudaSuccess;
        const __K *__from = __keys;
        typename const_pointer<__V>::type __from_values = __values;
        for (int __pass = 0; __pass < __passes && __error == cudaSuccess; ++__pass) {
            const bool __is_last = (__passes - __pass) % 2 == 1;
            __K *const __target = __is_last ? __to : __other;
            const auto __target_values = __is_last ? __to_values : __other_values;
            __error = sort_digit<__is_descending>(__call.stream, __counts, __from, __from_values,
                                                  __target, __target_values, __items,
                                                  __begin + __pass * digit_bits, __end);
            __from = __target;
            __from_values = __target_values;
        }
        return __error;
    });
}
/* The values of both buffers. */
struct no_buffer {
    int selector = 0;
    no_values Current() const { return {}; }
    no_values Alternate() const { return {}; }
};
template <bool __is_descending, class __K, class __Values>
cudaError_t radix_sort_buffers(const call &__call, DoubleBuffer<__K> &__keys, __Values &__values,
                               size_t __items, int __begin, int __end) {
    const size_t __counters = divide_for_radix(__items).count * digits * sizeof(size_t);
    return with_storage(__call, __counters, [&](char *__memory) {
        cudaError_t __error = cudaSuccess;
        for (; __begin < __end && __error == cudaSuccess; __begin += digit_bits) {
            __error = sort_digit<__is_descending>(
                __call.stream, reinterpret_cast<size_t *>(__memory),
                static_cast<const __K *>(__keys.Current()), __values.Current(), __keys.Alternate(),
                __values.Alternate(), __items, __begin, __end);
            __keys.selector ^= 1;
            __values.selector ^= 1;
        }
        return __error;
    });
}
template <class __T>
constexpr int width = 8 * static_cast<int>(sizeof(__T));

/* Segments of keys, each with the memory of the same places. */
struct sort_segments {
    template <class __K, class __V, class __To, class __ToV, class __T, class __W, class __Begin,
              class __End, class __Less>
    static void run(size_t __part, __K __keys, __V __values, __To __to, __ToV __to_values,
                    __T __other, __W __other_values, parts __parts, size_t __segments,
                    __Begin __begins, __End __ends, __Less __less) {
        const size_t __last = __parts.last(__part, __segments);
        for (size_t __segment = __parts.first(__part); __segment < __last; ++__segment) {
            const long long __first = __begins[__segment], __end = __ends[__segment];
            if (static_cast<const void *>(__keys) != static_cast<const void *>(__to))
                for (long long __i = __first; __i < __end; ++__i)
                    move_element(__keys, __values, __i, __to, __to_values, __i);
            merge_sort(__to, __to_values, __first, __end, __other, __other_values, __less);
        }
    }
};
template <class __V, class __K, class __Begin, class __End, class __Less>
cudaError_t sort_all_segments(const call &__call, const __K *__keys,
                              typename const_pointer<__V>::type __values, __K *__to,
                              typename const_pointer<__V>::changeable __to_values,
                              long long __items, long long __segments, __Begin __begins,
                              __End __ends, __Less __less) {
    const size_t __key_bytes = align(count_items(__items) * sizeof(__K));
    const size_t __needed = __key_bytes + storage_of<__V>::bytes(count_items(__items));
    return with_storage(__call, __needed, [=](char *__memory) {
        const parts __parts = divide(count_items(__segments), 4);
        return launch<sort_segments>(__call.stream, __parts.count, __keys, __values, __to,
                                     __to_values, reinterpret_cast<__K *>(__memory),
                                     storage_of<__V>::take(__memory + __key_bytes), __parts,
                                     count_items(__segments), __begins, __ends, __less);
    });
}

#define KBUILD_CPU_BITS , int __begin = 0, int __end = width<__K>
/* Each function for keys alone, and for keys with values. */
#define KBUILD_CPU_RADIX_SORT(suffix, is_descending) \
    template <class __K, class __Number> \
    static result<__Number> SortKeys##suffix(const call &__call, const __K *__in, __K *__out, \
                                             __Number __items KBUILD_CPU_BITS) { \
        return radix_sort<is_descending, __K, no_values>(__call, __in, {}, __out, {}, \
                                                         count_items(__items), __begin, __end); \
    } \
    template <class __K, class __V, class __Number> \
    static result<__Number> SortPairs##suffix(const call &__call, const __K *__in, __K *__out, \
                                              const __V *__values, __V *__values_out, \
                                              __Number __items KBUILD_CPU_BITS) { \
        return radix_sort<is_descending, __K, __V>(__call, __in, __values, __out, __values_out, \
                                                   count_items(__items), __begin, __end); \
    } \
    template <class __K, class __Number> \
    static result<__Number> SortKeys##suffix(const call &__call, DoubleBuffer<__K> &__keys, \
                                             __Number __items KBUILD_CPU_BITS) { \
        no_buffer __none; \
        return radix_sort_buffers<is_descending>(__call, __keys, __none, count_items(__items), \
                                                 __begin, __end); \
    } \
    template <class __K, class __V, class __Number> \
    static result<__Number> SortPairs##suffix(const call &__call, DoubleBuffer<__K> &__keys, \
                                              DoubleBuffer<__V> &__values, \
                                              __Number __items KBUILD_CPU_BITS) { \
        return radix_sort_buffers<is_descending>(__call, __keys, __values, count_items(__items), \
                                                 __begin, __end); \
    } \
    template <class __K, class __Number, class __Decompose> \
    static decomposing<__Decompose> SortKeys##suffix(const call &__call, const __K *__in, \
                                                     __K *__out, __Number __items, \
                                                     __Decompose __decompose KBUILD_CPU_BITS) { \
        return sort_copy( \
            __call, __in, no_values{}, __out, no_values{}, count_items(__items), \
            decomposed_range<is_descending, __Decompose>{__decompose, __begin, __end}); \
    } \
    template <class __K, class __V, class __Number, class __Decompose> \
    static decomposing<__Decompose> SortPairs##suffix( \
        const call &__call, const __K *__in, __K *__out, const __V *__values, __V *__values_out, \
        __Number __items, __Decompose __decompose KBUILD_CPU_BITS) { \
        return sort_copy( \
            __call, __in, __values, __out, __values_out, count_items(__items), \
            decomposed_range<is_descending, __Decompose>{__decompose, __begin, __end}); \
    }
#define KBUILD_CPU_NO_BITS
#define KBUILD_CPU_OFFSETS long long __items, long long __segments, __Begin __begins, __End __ends
#define KBUILD_CPU_SEGMENT_SORT(prefix, suffix, is_descending, bits, first, last) \
    template <class __K, class __Begin, class __End> \
    static cudaError_t prefix##SortKeys##suffix(const call &__call, const __K *__in, __K *__out, \
                                                KBUILD_CPU_OFFSETS KBUILD_CPU_##bits##BITS) { \
        return sort_all_segments<no_values>(__call, __in, {}, __out, {}, __items, __segments, \
                                            __begins, __ends, \
                                            bit_range<is_descending>{first, last}); \
    } \
    template <class __K, class __V, class __Begin, class __End> \
    static cudaError_t prefix##SortPairs##suffix(const call &__call, const __K *__in, __K *__out, \
                                                 const __V *__values, __V *__values_out, \
                                                 KBUILD_CPU_OFFSETS KBUILD_CPU_##bits##BITS) { \
        return sort_all_segments<__V>(__call, __in, __values, __out, __values_out, __items, \
                                      __segments, __begins, __ends, \
                                      bit_range<is_descending>{first, last}); \
    } \
    /* In the current buffers, which stay the current ones. */ \
    template <class __K, class __Begin, class __End> \
    static cudaError_t prefix##SortKeys##suffix(const call &__call, DoubleBuffer<__K> &__keys, \
                                                KBUILD_CPU_OFFSETS KBUILD_CPU_##bits##BITS) { \
        return sort_all_segments<no_values>( \
            __call, static_cast<const __K *>(__keys.Current()), {}, __keys.Current(), {}, __items, \
            __segments, __begins, __ends, bit_range<is_descending>{first, last}); \
    } \
    template <class __K, class __V, class __Begin, class __End> \
    static cudaError_t prefix##SortPairs##suffix(const call &__call, DoubleBuffer<__K> &__keys, \
                                                 DoubleBuffer<__V> &__values, \
                                                 KBUILD_CPU_OFFSETS KBUILD_CPU_##bits##BITS) { \
        return sort_all_segments<__V>(__call, static_cast<const __K *>(__keys.Current()), \
                                      __values.Current(), __keys.Current(), __values.Current(), \
                                      __items, __segments, __begins, __ends, \
                                      bit_range<is_descending>{first, last}); \
    }

template <class __Decompose>
using decomposing = ::cuda::std::enable_if_t<
    ::cuda::std::is_class_v<__Decompose> && !is_environment<__Decompose>::value, cudaError_t>;

struct radix_sorts {
    KBUILD_CPU_RADIX_SORT(, false)
    KBUILD_CPU_RADIX_SORT(Descending, true)
};
struct segmented_radix_sorts {
    KBUILD_CPU_SEGMENT_SORT(, , false, , __begin, __end)
    KBUILD_CPU_SEGMENT_SORT(, Descending, true, , __begin, __end)
};
struct segmented_sorts {
    KBUILD_CPU_SEGMENT_SORT(, , false, NO_, 0, width<__K>)
    KBUILD_CPU_SEGMENT_SORT(, Descending, true, NO_, 0, width<__K>)
    KBUILD_CPU_SEGMENT_SORT(Stable, , false, NO_, 0, width<__K>)
    KBUILD_CPU_SEGMENT_SORT(Stable, Descending, true, NO_, 0, width<__K>)
};
#undef KBUILD_CPU_SEGMENT_SORT
#undef KBUILD_CPU_OFFSETS
#undef KBUILD_CPU_NO_BITS
#undef KBUILD_CPU_RADIX_SORT
#undef KBUILD_CPU_BITS

}  // namespace kbuild_device

struct DeviceRadixSort {
    KBUILD_CPU_ALGORITHM(radix_sorts, SortKeys)
    KBUILD_CPU_ALGORITHM(radix_sorts, SortKeysDescending)
    KBUILD_CPU_ALGORITHM(radix_sorts, SortPairs)
    KBUILD_CPU_ALGORITHM(radix_sorts, SortPairsDescending)
};
struct DeviceSegmentedRadixSort {
    KBUILD_CPU_ALGORITHM(segmented_radix_sorts, SortKeys)
    KBUILD_CPU_ALGORITHM(segmented_radix_sorts, SortKeysDescending)
    KBUILD_CPU_ALGORITHM(segmented_radix_sorts, SortPairs)
    KBUILD_CPU_ALGORITHM(segmented_radix_sorts, SortPairsDescending)
};
struct DeviceSegmentedSort {
    KBUILD_CPU_ALGORITHM(segmented_sorts, SortKeys)
    KBUILD_CPU_ALGORITHM(segmented_sorts, SortKeysDescending)
    KBUILD_CPU_ALGORITHM(segmented_sorts, SortPairs)
    KBUILD_CPU_ALGORITHM(segmented_sorts, SortPairsDescending)
    KBUILD_CPU_ALGORITHM(segmented_sorts, StableSortKeys)
    KBUILD_CPU_ALGORITHM(segmented_sorts, StableSortKeysDescending)
    KBUILD_CPU_ALGORITHM(segmented_sorts, StableSortPairs)
    KBUILD_CPU_ALGORITHM(segmented_sorts, StableSortPairsDescending)
};

CUB_NAMESPACE_END

#endif
