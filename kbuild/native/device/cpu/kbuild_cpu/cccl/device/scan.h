/* cub::DeviceScan and cub::DeviceSegmentedScan. */
#ifndef KBUILD_CPU_CCCL_DEVICE_SCAN_H
#define KBUILD_CPU_CCCL_DEVICE_SCAN_H

#include "reduce.h"

/* CUB's header also includes it, and programs use its classes in kernels. */
#include <cub/agent/single_pass_scan_operators.cuh>

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_scan_by_key.cuh>
#include <cub/device/dispatch/tuning/tuning_segmented_scan.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

struct no_init {};
template <class __Acc, class __Init>
__Acc make_init(const __Init &__init) {
    return static_cast<__Acc>(__init);
}
template <class __Acc, class __T, class __Iterator>
__Acc make_init(const FutureValue<__T, __Iterator> &__init) {
    FutureValue<__T, __Iterator> __copy = __init;
    return static_cast<__Acc>(static_cast<__T>(__copy));
}
template <class __Init>
struct type_of_init {
    using type = __Init;
};
template <class __T, class __Iterator>
struct type_of_init<FutureValue<__T, __Iterator>> {
    using type = __T;
};
template <class __In>
struct no_init_for {
    using type = value_of<__In>;
};

/* Input and output can be the same memory. */
template <bool __is_inclusive, class __In, class __Out, class __Op, class __Acc>
void scan_range(__In __in, __Out __out, long long __first, long long __last, __Op __op,
                __Acc __sum) {
    for (long long __i = __first; __i < __last; ++__i) {
        const __Acc __next = __op(__sum, __in[__i]);
        __out[__i] = __is_inclusive ? __next : __sum;
        __sum = __next;
    }
}
template <class __In, class __Out, class __Op>
void scan_range_without_init(__In __in, __Out __out, long long __first, long long __last,
                             __Op __op) {
    using __Acc = accumulator<__Op, value_of<__In>, value_of<__In>>;
    if (__first >= __last) return;
    const __Acc __sum = __in[__first];
    __out[__first] = __sum;
    scan_range<true>(__in, __out, __first + 1, __last, __op, __sum);
}
/* Scans a part, which begins with what is left of it, or with the initial value. */
template <bool __is_inclusive>
struct scan_parts {
    template <class __In, class __Out, class __Op, class __Init, class __Acc>
    static void run(size_t __part, __In __in, __Out __out, parts __parts, size_t __items, __Op __op,
                    __Init __init, const __Acc *__left) {
        const long long __first = static_cast<long long>(__parts.first(__part));
        const long long __last = static_cast<long long>(__parts.last(__part, __items));
        if (__part != 0)
            scan_range<__is_inclusive>(__in, __out, __first, __last, __op, __left[__part - 1]);
        else if constexpr (::cuda::std::is_same_v<__Init, no_init>)
            scan_range_without_init(__in, __out, __first, __last, __op);
        else
            scan_range<__is_inclusive>(__in, __out, __first, __last, __op,
                                       make_init<__Acc>(__init));
    }
};
/* Scans the reductions of parts. */
struct scan_results {
    template <class __Acc, class __Op, class __Init>
    static void run(size_t, __Acc *__results, size_t __count, __Op __op, __Init __init) {
        if constexpr (!::cuda::std::is_same_v<__Init, no_init>)
            __results[0] = __op(make_init<__Acc>(__init), __results[0]);
        for (size_t __i = 1; __i < __count; ++__i)
            __results[__i] = __op(__results[__i - 1], __results[__i]);
    }
};
template <class __Init, class __T>
using type_of_init_or = ::cuda::std::_If<::cuda::std::is_same_v<__Init, no_init>, __T,
                                         typename type_of_init<__Init>::type>;
/* All parts but the last one are reduced before all parts are scanned. */
template <bool __is_inclusive, class __In, class __Out, class __Op, class __Init>
cudaError_t scan(const call &__call, __In __in, __Out __out, size_t __items, __Op __op,
                 __Init __init) {
    using __T = value_of<__In>;
    using __Acc = accumulator<__Op, __T, type_of_init_or<__Init, __T>>;
    const parts __parts = divide(__items, 1 << 16);
    const size_t __reduced = __parts.count > 1 ? __parts.count - 1 : 0;
    return with_storage(__call, __reduced * sizeof(__Acc), [=](char *__memory) {
        __Acc *const __results = reinterpret_cast<__Acc *>(__memory);
        if (__reduced != 0) {
            cudaError_t __error = launch<reduce_parts>(__call.stream, __reduced, __in, __results,
                                                       __parts, __items, __op, identity{});
            if (__error == cudaSuccess)
                __error =
                    launch<scan_results>(__call.stream, 1, __results, __reduced, __op, __init);
            if (__error != cudaSuccess) return __error;
        }
        return launch<scan_parts<__is_inclusive>>(__call.stream, __parts.count, __in, __out,
                                                  __parts, __items, __op, __init,
                                                  static_cast<const __Acc *>(__results));
    });
}
template <bool __is_inclusive>
struct scan_segments {
    template <class __In, class __Out, class __Begin, class __End, class __OutBegin, class __Op,
              class __Init>
    static void run(size_t __part, __In __in, __Out __out, parts __parts, size_t __segments,
                    __Begin __begins, __End __ends, __OutBegin __out_begins, __Op __op,
                    __Init __init) {
        const size_t __last = __parts.last(__part, __segments);
        for (size_t __i = __parts.first(__part); __i < __last; ++__i) {
            const long long __first = static_cast<long long>(__begins[__i]);
            const long long __count = static_cast<long long>(__ends[__i]) - __first;
            const auto __from = __in + __first;
            const auto __to = __out + static_cast<long long>(__out_begins[__i]);
            if constexpr (::cuda::std::is_same_v<__Init, no_init>) {
                scan_range_without_init(__from, __to, 0, __count, __op);
            } else {
                using __Acc = accumulator<__Op, value_of<__In>, __Init>;
                scan_range<__is_inclusive>(__from, __to, 0, __count, __op,
                                           static_cast<__Acc>(__init));
            }
        }
    }
};
template <bool __is_inclusive>
struct scan_runs {
    template <class __Keys, class __In, class __Out, class __Op, class __Init, class __Equal>
    static void run(size_t, __Keys __keys, __In __in, __Out __out, long long __items, __Op __op,
                    __Init __init, __Equal __equal) {
        for (long long __first = 0, __last = 0; __first < __items; __first = __last) {
            /* The key of the run can be in the memory of the output. */
            const value_of<__Keys> __key = __keys[__first];
            for (__last = __first + 1; __last < __items && __equal(__key, __keys[__last]);)
                ++__last;
            if constexpr (::cuda::std::is_same_v<__Init, no_init>) {
                scan_range_without_init(__in, __out, __first, __last, __op);
            } else {
                using __Acc = accumulator<__Op, value_of<__In>, __Init>;
                scan_range<__is_inclusive>(__in, __out, __first, __last, __op,
                                           static_cast<__Acc>(__init));
            }
        }
    }
};

struct scans {
    template <class __In, class __Out, class __Op, class __Init, class __Number>
    static result<__Number> ExclusiveScan(const call &__call, __In __in, __Out __out, __Op __op,
                                          __Init __init, __Number __items) {
        return scan<false>(__call, __in, __out, count_items(__items), __op, __init);
    }
    template <class __In, class __Out, class __Op, class __Number>
    static result<__Number> InclusiveScan(const call &__call, __In __in, __Out __out, __Op __op,
                                          __Number __items) {
        return scan<true>(__call, __in, __out, count_items(__items), __op, no_init{});
    }
    template <class __In, class __Out, class __Op, class __Init, class __Number>
    static cudaError_t InclusiveScanInit(const call &__call, __In __in, __Out __out, __Op __op,
                                         __Init __init, __Number __items) {
        return scan<true>(__call, __in, __out, count_items(__items), __op, __init);
    }
    template <class __In, class __Out, class __Number>
    static result<__Number> ExclusiveSum(const call &__call, __In __in, __Out __out,
                                         __Number __items) {
        return ExclusiveScan(__call, __in, __out, ::cuda::std::plus<>{}, value_of<__In>{}, __items);
    }
    template <class __In, class __Out, class __Number>
    static result<__Number> InclusiveSum(const call &__call, __In __in, __Out __out,
                                         __Number __items) {
        return InclusiveScan(__call, __in, __out, ::cuda::std::plus<>{}, __items);
    }

    /* In place. */
    template <class __Data, class __Op, class __Init, class __Number>
    static result<__Number> ExclusiveScan(const call &__call, __Data __data, __Op __op,
                                          __Init __init, __Number __items) {
        return ExclusiveScan(__call, __data, __data, __op, __init, __items);
    }
    template <class __Data, class __Op, class __Number>
    static result<__Number> InclusiveScan(const call &__call, __Data __data, __Op __op,
                                          __Number __items) {
        return InclusiveScan(__call, __data, __data, __op, __items);
    }
    template <class __Data, class __Number>
    static result<__Number> ExclusiveSum(const call &__call, __Data __data, __Number __items) {
        return ExclusiveSum(__call, __data, __data, __items);
    }
    template <class __Data, class __Number>
    static result<__Number> InclusiveSum(const call &__call, __Data __data, __Number __items) {
        return InclusiveSum(__call, __data, __data, __items);
    }

    template <class __Keys, class __In, class __Out, class __Op, class __Init, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t ExclusiveScanByKey(const call &__call, __Keys __keys, __In __in, __Out __out,
                                          __Op __op, __Init __init, __Number __items,
                                          __Equal __equal = {}) {
        return run_once<scan_runs<false>>(__call, __keys, __in, __out,
                                          static_cast<long long>(count_items(__items)), __op,
                                          __init, __equal);
    }
    template <class __Keys, class __In, class __Out, class __Op, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t InclusiveScanByKey(const call &__call, __Keys __keys, __In __in, __Out __out,
                                          __Op __op, __Number __items, __Equal __equal = {}) {
        return run_once<scan_runs<true>>(__call, __keys, __in, __out,
                                         static_cast<long long>(count_items(__items)), __op,
                                         no_init{}, __equal);
    }
    template <class __Keys, class __In, class __Out, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t ExclusiveSumByKey(const call &__call, __Keys __keys, __In __in, __Out __out,
                                         __Number __items, __Equal __equal = {}) {
        return ExclusiveScanByKey(__call, __keys, __in, __out, ::cuda::std::plus<>{},
                                  value_of<__In>{}, __items, __equal);
    }
    template <class __Keys, class __In, class __Out, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t InclusiveSumByKey(const call &__call, __Keys __keys, __In __in, __Out __out,
                                         __Number __items, __Equal __equal = {}) {
        return InclusiveScanByKey(__call, __keys, __in, __out, ::cuda::std::plus<>{}, __items,
                                  __equal);
    }
};
/* The output has the places of the input, or its own ones. */
struct segmented_scans {
#define KBUILD_CPU_SEGMENTS \
    const call &__call, __In __in, __Out __out, __Begin __begins, __End __ends
#define KBUILD_CPU_SEGMENTED_SCAN(name, is_inclusive, parameters, op, init, ...) \
    template <class __In, class __Out, class __Begin, class __End, class __OutBegin __VA_ARGS__> \
    static ::cuda::std::enable_if_t<!::cuda::std::is_integral_v<__OutBegin>, cudaError_t> name( \
        KBUILD_CPU_SEGMENTS, __OutBegin __out_begins, long long __segments parameters) { \
        const parts __parts = divide(count_items(__segments), 16); \
        return run_all<scan_segments<is_inclusive>>(__call, __parts.count, __in, __out, __parts, \
                                                    count_items(__segments), __begins, __ends, \
                                                    __out_begins, op, init); \
    } \
    template <class __In, class __Out, class __Begin, class __End __VA_ARGS__> \
    static cudaError_t name(KBUILD_CPU_SEGMENTS, long long __segments parameters) { \
        const parts __parts = divide(count_items(__segments), 16); \
        return run_all<scan_segments<is_inclusive>>(__call, __parts.count, __in, __out, __parts, \
                                                    count_items(__segments), __begins, __ends, \
                                                    __begins, op, init); \
    }
#define KBUILD_CPU_NONE
#define KBUILD_CPU_OP , __Op __op
#define KBUILD_CPU_OP_AND_INIT , __Op __op, __Init __init
    KBUILD_CPU_SEGMENTED_SCAN(ExclusiveSegmentedSum, false, KBUILD_CPU_NONE, ::cuda::std::plus<>{},
                              value_of<__In>{})
    KBUILD_CPU_SEGMENTED_SCAN(InclusiveSegmentedSum, true, KBUILD_CPU_NONE, ::cuda::std::plus<>{},
                              no_init{})
    KBUILD_CPU_SEGMENTED_SCAN(ExclusiveSegmentedScan, false, KBUILD_CPU_OP_AND_INIT, __op, __init, ,
                              class __Op, class __Init)
    KBUILD_CPU_SEGMENTED_SCAN(InclusiveSegmentedScan, true, KBUILD_CPU_OP, __op, no_init{}, ,
                              class __Op)
    KBUILD_CPU_SEGMENTED_SCAN(InclusiveSegmentedScanInit, true, KBUILD_CPU_OP_AND_INIT, __op,
                              __init, , class __Op, class __Init)
#undef KBUILD_CPU_OP_AND_INIT
#undef KBUILD_CPU_OP
#undef KBUILD_CPU_NONE
#undef KBUILD_CPU_SEGMENTED_SCAN
#undef KBUILD_CPU_SEGMENTS
};

}  // namespace kbuild_device

struct DeviceScan {
    KBUILD_CPU_ALGORITHM(scans, ExclusiveScan)
    KBUILD_CPU_ALGORITHM(scans, InclusiveScan)
    KBUILD_CPU_ALGORITHM(scans, InclusiveScanInit)
    KBUILD_CPU_ALGORITHM(scans, ExclusiveSum)
    KBUILD_CPU_ALGORITHM(scans, InclusiveSum)
    KBUILD_CPU_ALGORITHM(scans, ExclusiveScanByKey)
    KBUILD_CPU_ALGORITHM(scans, InclusiveScanByKey)
    KBUILD_CPU_ALGORITHM(scans, ExclusiveSumByKey)
    KBUILD_CPU_ALGORITHM(scans, InclusiveSumByKey)
};
struct DeviceSegmentedScan {
    KBUILD_CPU_ALGORITHM(segmented_scans, ExclusiveSegmentedSum)
    KBUILD_CPU_ALGORITHM(segmented_scans, ExclusiveSegmentedScan)
    KBUILD_CPU_ALGORITHM(segmented_scans, InclusiveSegmentedSum)
    KBUILD_CPU_ALGORITHM(segmented_scans, InclusiveSegmentedScan)
    KBUILD_CPU_ALGORITHM(segmented_scans, InclusiveSegmentedScanInit)
};

CUB_NAMESPACE_END

#endif
