/* cub::DeviceSelect, cub::DevicePartition, and cub::DeviceRunLengthEncode. */
#ifndef KBUILD_CPU_CCCL_DEVICE_SELECT_H
#define KBUILD_CPU_CCCL_DEVICE_SELECT_H

#include "launch.h"
#include "reduce.h"

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_three_way_partition.cuh>
#include <cub/device/dispatch/tuning/tuning_unique_by_key.cuh>
#include <cub/device/dispatch/tuning/tuning_rle_encode.cuh>
#include <cub/device/dispatch/tuning/tuning_rle_non_trivial_runs.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* What selects an element: its index and itself. */
template <class __Flags>
struct by_flag {
    __Flags flags;
    template <class __T>
    bool operator()(long long __i, const __T &) {
        return static_cast<bool>(flags[__i]);
    }
};
template <class __Op>
struct by_value {
    __Op op;
    template <class __T>
    bool operator()(long long, const __T &__value) {
        return static_cast<bool>(op(__value));
    }
};
template <class __Flags, class __Op>
struct by_flag_value {
    __Flags flags;
    __Op op;
    template <class __T>
    bool operator()(long long __i, const __T &) {
        return static_cast<bool>(op(flags[__i]));
    }
};

template <class __Count>
void store_count(__Count __count, long long __value) {
    *__count = static_cast<value_or<__Count, int>>(__value);
}
/* One thread, in order, so that the output can be the memory of the input. */
struct select_all {
    template <class __In, class __Out, class __Count, class __Select>
    static void run(size_t, __In __in, __Out __out, __Count __count, long long __items,
                    __Select __select) {
        long long __selected = 0;
        for (long long __i = 0; __i < __items; ++__i) {
            const value_of<__In> __value = __in[__i];
            if (__select(__i, __value)) __out[__selected++] = __value;
        }
        store_count(__count, __selected);
    }
};
/* The others follow in the reverse order. */
struct partition_all {
    template <class __In, class __Out, class __Count, class __Select>
    static void run(size_t, __In __in, __Out __out, __Count __count, long long __items,
                    __Select __select) {
        long long __selected = 0, __other = __items;
        for (long long __i = 0; __i < __items; ++__i) {
            const value_of<__In> __value = __in[__i];
            if (__select(__i, __value))
                __out[__selected++] = __value;
            else
                __out[--__other] = __value;
        }
        store_count(__count, __selected);
    }
};
struct partition_three {
    template <class __In, class __First, class __Second, class __Others, class __Counts,
              class __InFirst, class __InSecond>
    static void run(size_t, __In __in, __First __first, __Second __second, __Others __others,
                    __Counts __counts, long long __items, __InFirst __in_first,
                    __InSecond __in_second) {
        long long __sizes[2] = {}, __rest = 0;
        for (long long __i = 0; __i < __items; ++__i) {
            const value_of<__In> __value = __in[__i];
            if (__in_first(__value))
                __first[__sizes[0]++] = __value;
            else if (__in_second(__value))
                __second[__sizes[1]++] = __value;
            else
                __others[__rest++] = __value;
        }
        for (int __i = 0; __i < 2; ++__i)
            __counts[__i] = static_cast<value_or<__Counts, int>>(__sizes[__i]);
    }
};
struct select_first {
    template <class __Keys, class __Values, class __KeysOut, class __ValuesOut, class __Count,
              class __Equal>
    static void run(size_t, __Keys __keys, __Values __values, __KeysOut __keys_out,
                    __ValuesOut __values_out, __Count __count, long long __items, __Equal __equal) {
        long long __runs = 0;
        for (long long __i = 0; __i < __items;) {
            const value_of<__Keys> __key = __keys[__i];
            value_of<__Keys> __last = __key;
            const value_of<__Values> __value = __values[__i];
            for (++__i; __i < __items; ++__i) {
                const value_of<__Keys> __next = __keys[__i];
                if (!__equal(__last, __next)) break;
                __last = __next;
            }
            __keys_out[__runs] = __key;
            __values_out[__runs] = __value;
            ++__runs;
        }
        store_count(__count, __runs);
    }
};
/* An output that nobody needs, and an input for it. */
struct nothing {
    using value_type = char;
    using difference_type = long long;
    using pointer = void;
    using reference = char;
    using iterator_category = ::cuda::std::random_access_iterator_tag;
    struct target {
        void operator=(char) const {}
        operator char() const { return 0; }
    };
    target operator[](long long) const { return {}; }
    target operator*() const { return {}; }
};
struct find_runs {
    template <class __In, class __Unique, class __Counts, class __Count>
    static void run(size_t, __In __in, __Unique __unique, __Counts __counts, __Count __count,
                    long long __items) {
        long long __runs = 0;
        for (long long __i = 0; __i < __items; ++__runs) {
            const value_of<__In> __value = __in[__i];
            const long long __first = __i;
            for (++__i; __i < __items && __value == __in[__i];) ++__i;
            __unique[__runs] = __value;
            __counts[__runs] = static_cast<value_or<__Counts, int>>(__i - __first);
        }
        store_count(__count, __runs);
    }
};
struct find_longer_runs {
    template <class __In, class __Offsets, class __Lengths, class __Count>
    static void run(size_t, __In __in, __Offsets __offsets, __Lengths __lengths, __Count __count,
                    long long __items) {
        long long __runs = 0;
        for (long long __i = 0; __i < __items;) {
            const long long __first = __i;
            for (++__i; __i < __items && __in[__first] == __in[__i];) ++__i;
            if (__i - __first == 1) continue;
            __offsets[__runs] = static_cast<value_or<__Offsets, int>>(__first);
            __lengths[__runs] = static_cast<value_or<__Lengths, int>>(__i - __first);
            ++__runs;
        }
        store_count(__count, __runs);
    }
};

template <class __Algorithm, class __In, class __Out, class __Count, class __Number, class __Select>
cudaError_t select(const call &__call, __In __in, __Out __out, __Count __count, __Number __items,
                   __Select __select) {
    return run_once<__Algorithm>(__call, __in, __out, __count,
                                 static_cast<long long>(count_items(__items)), __select);
}

#define KBUILD_CPU_SELECT(algorithm, in, out, ...) \
    select<algorithm>(__call, in, out, __count, __items, __VA_ARGS__)
#define KBUILD_CPU_SELECTIONS(algorithm) \
    template <class __In, class __Flags, class __Out, class __Count, class __Number> \
    static result<__Number> Flagged(const call &__call, __In __in, __Flags __flags, __Out __out, \
                                    __Count __count, __Number __items) { \
        return KBUILD_CPU_SELECT(algorithm, __in, __out, \
                                 by_flag<unwrapped<__Flags>>{unwrap(__flags)}); \
    } \
    template <class __In, class __Out, class __Count, class __Number, class __Op> \
    static result<__Number> If(const call &__call, __In __in, __Out __out, __Count __count, \
                               __Number __items, __Op __op) { \
        return KBUILD_CPU_SELECT(algorithm, __in, __out, by_value<__Op>{__op}); \
    }

struct selections {
    KBUILD_CPU_SELECTIONS(select_all)
    template <class __In, class __Flags, class __Out, class __Count, class __Number, class __Op>
    static result<__Number> FlaggedIf(const call &__call, __In __in, __Flags __flags, __Out __out,
                                      __Count __count, __Number __items, __Op __op) {
        return KBUILD_CPU_SELECT(select_all, __in, __out,
                                 by_flag_value<unwrapped<__Flags>, __Op>{unwrap(__flags), __op});
    }
    /* In place. */
    template <class __Data, class __Flags, class __Count, class __Number>
    static result<__Number> Flagged(const call &__call, __Data __data, __Flags __flags,
                                    __Count __count, __Number __items) {
        return Flagged(__call, __data, __flags, __data, __count, __items);
    }
    template <class __Data, class __Count, class __Number, class __Op>
    static result<__Number> If(const call &__call, __Data __data, __Count __count, __Number __items,
                               __Op __op) {
        return If(__call, __data, __data, __count, __items, __op);
    }
    template <class __Data, class __Flags, class __Count, class __Number, class __Op>
    static result<__Number> FlaggedIf(const call &__call, __Data __data, __Flags __flags,
                                      __Count __count, __Number __items, __Op __op) {
        return FlaggedIf(__call, __data, __flags, __data, __count, __items, __op);
    }
    template <class __Keys, class __Values, class __KeysOut, class __ValuesOut, class __Count,
              class __Number, class __Equal>
    static ::cuda::std::enable_if_t<!::cuda::std::is_convertible_v<__Equal, cudaStream_t>,
                                    cudaError_t>
    UniqueByKey(const call &__call, __Keys __keys, __Values __values, __KeysOut __keys_out,
                __ValuesOut __values_out, __Count __count, __Number __items, __Equal __equal) {
        return run_once<select_first>(__call, __keys, __values, __keys_out, __values_out, __count,
                                      static_cast<long long>(count_items(__items)), __equal);
    }
    template <class __Keys, class __Values, class __KeysOut, class __ValuesOut, class __Count,
              class __Number>
    static cudaError_t UniqueByKey(const call &__call, __Keys __keys, __Values __values,
                                   __KeysOut __keys_out, __ValuesOut __values_out, __Count __count,
                                   __Number __items) {
        return UniqueByKey(__call, __keys, __values, __keys_out, __values_out, __count, __items,
                           ::cuda::std::equal_to<>{});
    }
    template <class __In, class __Out, class __Count, class __Number>
    static cudaError_t Unique(const call &__call, __In __in, __Out __out, __Count __count,
                              __Number __items) {
        return UniqueByKey(__call, __in, nothing{}, __out, nothing{}, __count, __items,
                           ::cuda::std::equal_to<>{});
    }
};

struct partitions {
    KBUILD_CPU_SELECTIONS(partition_all)
    template <class __In, class __First, class __Second, class __Others, class __Counts,
              class __Number, class __InFirst, class __InSecond>
    static cudaError_t If(const call &__call, __In __in, __First __first, __Second __second,
                          __Others __others, __Counts __counts, __Number __items,
                          __InFirst __in_first, __InSecond __in_second) {
        return run_once<partition_three>(__call, __in, __first, __second, __others, __counts,
                                         static_cast<long long>(count_items(__items)), __in_first,
                                         __in_second);
    }
};
#undef KBUILD_CPU_SELECTIONS
#undef KBUILD_CPU_SELECT

struct run_lengths {
    template <class __In, class __Unique, class __Counts, class __Count, class __Number>
    static cudaError_t Encode(const call &__call, __In __in, __Unique __unique, __Counts __counts,
                              __Count __count, __Number __items) {
        return run_once<find_runs>(__call, __in, __unique, __counts, __count,
                                   static_cast<long long>(count_items(__items)));
    }
    template <class __In, class __Offsets, class __Lengths, class __Count, class __Number>
    static cudaError_t NonTrivialRuns(const call &__call, __In __in, __Offsets __offsets,
                                      __Lengths __lengths, __Count __count, __Number __items) {
        return run_once<find_longer_runs>(__call, __in, __offsets, __lengths, __count,
                                          static_cast<long long>(count_items(__items)));
    }
};

}  // namespace kbuild_device

struct DeviceSelect {
    KBUILD_CPU_ALGORITHM(selections, Flagged)
    KBUILD_CPU_ALGORITHM(selections, FlaggedIf)
    KBUILD_CPU_ALGORITHM(selections, If)
    KBUILD_CPU_ALGORITHM(selections, Unique)
    KBUILD_CPU_ALGORITHM(selections, UniqueByKey)
};
struct DevicePartition {
    KBUILD_CPU_ALGORITHM(partitions, Flagged)
    KBUILD_CPU_ALGORITHM(partitions, If)
};
struct DeviceRunLengthEncode {
    KBUILD_CPU_ALGORITHM(run_lengths, Encode)
    KBUILD_CPU_ALGORITHM(run_lengths, NonTrivialRuns)
};

CUB_NAMESPACE_END

#endif
