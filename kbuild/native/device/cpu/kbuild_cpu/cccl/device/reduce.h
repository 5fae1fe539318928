/* cub::DeviceReduce and cub::DeviceSegmentedReduce. */
#ifndef KBUILD_CPU_CCCL_DEVICE_REDUCE_H
#define KBUILD_CPU_CCCL_DEVICE_REDUCE_H

#include "launch.h"

#include <cuda/std/__iterator/concepts.h>
#include <cuda/std/utility>

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_reduce.cuh>
#include <cub/device/dispatch/tuning/tuning_reduce_by_key.cuh>
#include <cub/device/dispatch/tuning/tuning_segmented_reduce.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* Reduces each part, without an initial value. */
struct reduce_parts {
    template <class __In, class __Acc, class __Op, class __Transform>
    static void run(size_t __part, __In __in, __Acc *__results, parts __parts, size_t __items,
                    __Op __op, __Transform __transform) {
        const size_t __first = __parts.first(__part), __last = __parts.last(__part, __items);
        __Acc __sum = static_cast<__Acc>(__transform(__in[__first]));
        for (size_t __i = __first + 1; __i < __last; ++__i)
            __sum = __op(__sum, __transform(__in[__i]));
        new (__results + __part) __Acc(__sum);
    }
};
struct reduce_results {
    template <class __Acc, class __Out, class __Op, class __Init>
    static void run(size_t, const __Acc *__results, size_t __count, __Out __out, __Op __op,
                    __Init __init) {
        __Acc __sum = static_cast<__Acc>(__init);
        for (size_t __i = 0; __i < __count; ++__i) __sum = __op(__sum, __results[__i]);
        *__out = __sum;
    }
};
/* Segments, with an initial value. */
struct reduce_segments {
    template <class __In, class __Out, class __Begin, class __End, class __Op, class __Init>
    static void run(size_t __part, __In __in, __Out __out, parts __parts, size_t __segments,
                    __Begin __begins, __End __ends, __Op __op, __Init __init) {
        using __Acc = accumulator<__Op, value_of<__In>, __Init>;
        const size_t __last = __parts.last(__part, __segments);
        for (size_t __segment = __parts.first(__part); __segment < __last; ++__segment) {
            __Acc __sum = static_cast<__Acc>(__init);
            for (long long __i = __begins[__segment], __end = __ends[__segment]; __i < __end; ++__i)
                __sum = __op(__sum, __in[__i]);
            __out[__segment] = __sum;
        }
    }
};

struct identity {
    template <class __T>
    __T &&operator()(__T &&__value) const {
        return static_cast<__T &&>(__value);
    }
};

template <class __In, class __Out, class __Op, class __Init, class __Transform>
cudaError_t reduce(const call &__call, __In __in, __Out __out, size_t __items, __Op __op,
                   __Init __init, __Transform __transform) {
    using __Value = ::cuda::std::decay_t<decltype(__transform(*unwrap(__in)))>;
    using __Acc = accumulator<__Op, __Value, __Init>;
    const parts __parts = divide(__items);
    return with_storage(__call, __parts.count * sizeof(__Acc), [=](char *__memory) {
        __Acc *const __results = reinterpret_cast<__Acc *>(__memory);
        const cudaError_t __error = launch<reduce_parts>(
            __call.stream, __parts.count, __in, __results, __parts, __items, __op, __transform);
        if (__error != cudaSuccess) return __error;
        return launch<reduce_results>(__call.stream, 1, static_cast<const __Acc *>(__results),
                                      __parts.count, __out, __op, __init);
    });
}

/* The least element, or the first one that no other is less than. */
struct find_extremum {
    template <class __In, class __Out, class __Begin, class __End, class __Less, class __Make>
    static void run(size_t __part, __In __in, __Out __out, parts __parts, size_t __segments,
                    __Begin __begins, __End __ends, __Less __less, __Make __make) {
        const size_t __last = __parts.last(__part, __segments);
        for (size_t __segment = __parts.first(__part); __segment < __last; ++__segment) {
            const long long __first = __begins[__segment], __end = __ends[__segment];
            long long __best = __first;
            for (long long __i = __first + 1; __i < __end; ++__i)
                if (__less(__in[__i], __in[__best])) __best = __i;
            if (__first < __end)
                __make(__out, __segment, __best - __first, __in[__best]);
            else
                __make(__out, __segment, 1, __less.template worst<value_of<__In>>());
        }
    }
};
struct is_less {
    template <class __T>
    bool operator()(const __T &__a, const __T &__b) const {
        return __a < __b;
    }
    template <class __T>
    static __T worst() {
        return ::cuda::std::numeric_limits<__T>::max();
    }
};
struct is_greater {
    template <class __T>
    bool operator()(const __T &__a, const __T &__b) const {
        return __b < __a;
    }
    template <class __T>
    static __T worst() {
        return ::cuda::std::numeric_limits<__T>::lowest();
    }
};
struct make_pairs {
    template <class __Out, class __T>
    void operator()(__Out __out, size_t __place, long long __index, const __T &__value) const {
        using __Pair = value_or<__Out, KeyValuePair<int, __T>>;
        __Pair __pair{};
        __set(__pair, __index, __value);
        __out[__place] = __pair;
    }

private:
    template <class __Key, class __Value, class __T>
    static void __set(KeyValuePair<__Key, __Value> &__pair, long long __index, const __T &__value) {
        __pair.key = static_cast<__Key>(__index);
        __pair.value = __value;
    }
    template <class __Pair, class __T>
    static auto __set(__Pair &__pair, long long __index, const __T &__value)
        -> decltype(void(__pair.first)) {
        __pair.first = static_cast<decltype(__pair.first)>(__index);
        __pair.second = __value;
    }
};
template <class __Index>
struct make_both {
    __Index indices;
    template <class __Out, class __T>
    void operator()(__Out __out, size_t __place, long long __index, const __T &__value) const {
        __out[__place] = __value;
        indices[__place] = __index;
    }
};
struct multiples {
    long long size;
    long long operator[](size_t __i) const { return static_cast<long long>(__i) * size; }
};
struct multiples_of_next {
    long long size;
    long long operator[](size_t __i) const { return static_cast<long long>(__i + 1) * size; }
};

template <class __Less, class __In, class __Out, class __Begin, class __End, class __Make>
cudaError_t find(const call &__call, __In __in, __Out __out, long long __segments, __Begin __begins,
                 __End __ends, __Make __make) {
    const parts __parts = divide(count_items(__segments), 16);
    return with_storage(__call, 0, [=](char *) {
        return launch<find_extremum>(__call.stream, __parts.count, __in, __out, __parts,
                                     count_items(__segments), __begins, __ends, __Less{}, __make);
    });
}

struct reduce_runs {
    template <class __Keys, class __Unique, class __Values, class __Aggregates, class __Count,
              class __Op>
    static void run(size_t, __Keys __keys, __Unique __unique, __Values __values,
                    __Aggregates __aggregates, __Count __count, __Op __op, size_t __items) {
        using __Acc = accumulator<__Op, value_of<__Values>, value_of<__Values>>;
        long long __runs = 0;
        for (size_t __i = 0; __i < __items;) {
            const value_of<__Keys> __key = __keys[__i];
            __Acc __sum = __values[__i];
            for (++__i; __i < __items && __keys[__i] == __key; ++__i)
                __sum = __op(__sum, __values[__i]);
            __unique[__runs] = __key;
            __aggregates[__runs] = __sum;
            ++__runs;
        }
        *__count = static_cast<value_or<__Count, int>>(__runs);
    }
};

struct reductions {
    template <class __In, class __Out, class __Number, class __Op, class __Init>
    static cudaError_t Reduce(const call &__call, __In __in, __Out __out, __Number __items,
                              __Op __op, __Init __init) {
        return reduce(__call, __in, __out, count_items(__items), __op, __init, identity{});
    }
    template <class __In, class __Out, class __Number, class __Op, class __Transform, class __Init>
    static cudaError_t TransformReduce(const call &__call, __In __in, __Out __out, __Number __items,
                                       __Op __op, __Transform __transform, __Init __init) {
        return reduce(__call, __in, __out, count_items(__items), __op, __init, __transform);
    }
    template <class __In, class __Out, class __Number>
    static cudaError_t Sum(const call &__call, __In __in, __Out __out, __Number __items) {
        using __Init = value_or<__Out, value_of<__In>>;
        return Reduce(__call, __in, __out, __items, ::cuda::std::plus<>{}, __Init{});
    }
    template <class __In, class __Out, class __Number>
    static cudaError_t Min(const call &__call, __In __in, __Out __out, __Number __items) {
        using __T = value_of<__In>;
        return Reduce(__call, __in, __out, __items, ::cuda::minimum<>{},
                      ::cuda::std::numeric_limits<__T>::max());
    }
    template <class __In, class __Out, class __Number>
    static cudaError_t Max(const call &__call, __In __in, __Out __out, __Number __items) {
        using __T = value_of<__In>;
        return Reduce(__call, __in, __out, __items, ::cuda::maximum<>{},
                      ::cuda::std::numeric_limits<__T>::lowest());
    }
    template <class __Keys, class __Unique, class __Values, class __Aggregates, class __Count,
              class __Op, class __Number>
    static cudaError_t ReduceByKey(const call &__call, __Keys __keys, __Unique __unique,
                                   __Values __values, __Aggregates __aggregates, __Count __count,
                                   __Op __op, __Number __items) {
        return run_once<reduce_runs>(__call, __keys, __unique, __values, __aggregates, __count,
                                     __op, count_items(__items));
    }

#define KBUILD_CPU_ARG(name, less) \
    template <class __In, class __Out> \
    static cudaError_t name(const call &__call, __In __in, __Out __out, int __items) { \
        return find<less>(__call, __in, __out, 1, multiples{__items}, multiples_of_next{__items}, \
                          make_pairs{}); \
    } \
    template <class __In, class __Out, class __Index> \
    static cudaError_t name(const call &__call, __In __in, __Out __out, __Index __index, \
                            long long __items) { \
        return find<less>(__call, __in, __out, 1, multiples{__items}, multiples_of_next{__items}, \
                          make_both<unwrapped<__Index>>{unwrap(__index)}); \
    }
    KBUILD_CPU_ARG(ArgMin, is_less)
    KBUILD_CPU_ARG(ArgMax, is_greater)
#undef KBUILD_CPU_ARG
};

struct segmented_reductions {
    template <class __In, class __Out, class __Begin, class __End, class __Op, class __Init>
    static cudaError_t Reduce(const call &__call, __In __in, __Out __out, long long __segments,
                              __Begin __begins, __End __ends, __Op __op, __Init __init) {
        const parts __parts = divide(count_items(__segments), 16);
        return with_storage(__call, 0, [=](char *) {
            return launch<reduce_segments>(__call.stream, __parts.count, __in, __out, __parts,
                                           count_items(__segments), __begins, __ends, __op, __init);
        });
    }
    template <class __In, class __Out, class __Op, class __Init>
    static cudaError_t Reduce(const call &__call, __In __in, __Out __out, long long __segments,
                              int __size, __Op __op, __Init __init) {
        return Reduce(__call, __in, __out, __segments, multiples{__size}, multiples_of_next{__size},
                      __op, __init);
    }
#define KBUILD_CPU_SEGMENTS(name, op, init) \
    template <class __In, class __Out, class __Begin, class __End> \
    static cudaError_t name(const call &__call, __In __in, __Out __out, long long __segments, \
                            __Begin __begins, __End __ends) { \
        using __T = value_of<__In>; \
        return Reduce(__call, __in, __out, __segments, __begins, __ends, op{}, init); \
    } \
    template <class __In, class __Out> \
    static cudaError_t name(const call &__call, __In __in, __Out __out, long long __segments, \
                            int __size) { \
        return name(__call, __in, __out, __segments, multiples{__size}, \
                    multiples_of_next{__size}); \
    }
    KBUILD_CPU_SEGMENTS(Sum, ::cuda::std::plus<>, (value_or<__Out, __T>{}))
    KBUILD_CPU_SEGMENTS(Min, ::cuda::minimum<>, ::cuda::std::numeric_limits<__T>::max())
    KBUILD_CPU_SEGMENTS(Max, ::cuda::maximum<>, ::cuda::std::numeric_limits<__T>::lowest())
#undef KBUILD_CPU_SEGMENTS
#define KBUILD_CPU_ARG(name, less) \
    template <class __In, class __Out, class __Begin, class __End> \
    static cudaError_t name(const call &__call, __In __in, __Out __out, long long __segments, \
                            __Begin __begins, __End __ends) { \
        return find<less>(__call, __in, __out, __segments, __begins, __ends, make_pairs{}); \
    } \
    template <class __In, class __Out> \
    static cudaError_t name(const call &__call, __In __in, __Out __out, long long __segments, \
                            int __size) { \
        return name(__call, __in, __out, __segments, multiples{__size}, \
                    multiples_of_next{__size}); \
    }
    KBUILD_CPU_ARG(ArgMin, is_less)
    KBUILD_CPU_ARG(ArgMax, is_greater)
#undef KBUILD_CPU_ARG
};

}  // namespace kbuild_device

struct DeviceReduce {
    KBUILD_CPU_ALGORITHM(reductions, Reduce)
    KBUILD_CPU_ALGORITHM(reductions, TransformReduce)
    KBUILD_CPU_ALGORITHM(reductions, Sum)
    KBUILD_CPU_ALGORITHM(reductions, Min)
    KBUILD_CPU_ALGORITHM(reductions, Max)
    KBUILD_CPU_ALGORITHM(reductions, ArgMin)
    KBUILD_CPU_ALGORITHM(reductions, ArgMax)
    KBUILD_CPU_ALGORITHM(reductions, ReduceByKey)
};
struct DeviceSegmentedReduce {
    KBUILD_CPU_ALGORITHM(segmented_reductions, Reduce)
    KBUILD_CPU_ALGORITHM(segmented_reductions, Sum)
    KBUILD_CPU_ALGORITHM(segmented_reductions, Min)
    KBUILD_CPU_ALGORITHM(segmented_reductions, Max)
    KBUILD_CPU_ALGORITHM(segmented_reductions, ArgMin)
    KBUILD_CPU_ALGORITHM(segmented_reductions, ArgMax)
};

CUB_NAMESPACE_END

#endif
