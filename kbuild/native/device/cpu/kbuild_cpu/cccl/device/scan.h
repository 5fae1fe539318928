/* cub::DeviceScan and cub::DeviceSegmentedScan. */
#ifndef KBUILD_CPU_CCCL_DEVICE_SCAN_H
#define KBUILD_CPU_CCCL_DEVICE_SCAN_H

#include "launch.h"

/* CUB's header also includes it, and programs use its classes in kernels. */
#include <cub/agent/single_pass_scan_operators.cuh>

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
template <bool __is_inclusive>
struct scan_all {
    template <class __In, class __Out, class __Op, class __Init>
    static void run(size_t, __In __in, __Out __out, long long __items, __Op __op, __Init __init) {
        if constexpr (::cuda::std::is_same_v<__Init, no_init>) {
            scan_range_without_init(__in, __out, 0, __items, __op);
        } else {
            using __Acc = accumulator<__Op, value_of<__In>, typename type_of_init<__Init>::type>;
            if (__items > 0)
                scan_range<__is_inclusive>(__in, __out, 0, __items, __op, make_init<__Acc>(__init));
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

}  // namespace kbuild_device

struct DeviceScan {
#define KBUILD_CPU_SCAN(is_inclusive, in, out, op, init) \
    kbuild_device::run_once<kbuild_device::scan_all<is_inclusive>>( \
        __storage, __bytes, __stream, in, out, \
        static_cast<long long>(kbuild_device::count_items(__items)), op, init)
    template <class __In, class __Out, class __Op, class __Init, class __Number>
    static kbuild_device::result<__Number> ExclusiveScan(void *__storage, size_t &__bytes,
                                                         __In __in, __Out __out, __Op __op,
                                                         __Init __init, __Number __items,
                                                         cudaStream_t __stream = nullptr) {
        return KBUILD_CPU_SCAN(false, __in, __out, __op, __init);
    }
    template <class __In, class __Out, class __Op, class __Number>
    static kbuild_device::result<__Number> InclusiveScan(void *__storage, size_t &__bytes,
                                                         __In __in, __Out __out, __Op __op,
                                                         __Number __items,
                                                         cudaStream_t __stream = nullptr) {
        return KBUILD_CPU_SCAN(true, __in, __out, __op, kbuild_device::no_init{});
    }
    template <class __In, class __Out, class __Op, class __Init, class __Number>
    static cudaError_t InclusiveScanInit(void *__storage, size_t &__bytes, __In __in, __Out __out,
                                         __Op __op, __Init __init, __Number __items,
                                         cudaStream_t __stream = nullptr) {
        return KBUILD_CPU_SCAN(true, __in, __out, __op, __init);
    }
#undef KBUILD_CPU_SCAN
    template <class __In, class __Out, class __Number>
    static kbuild_device::result<__Number> ExclusiveSum(void *__storage, size_t &__bytes, __In __in,
                                                        __Out __out, __Number __items,
                                                        cudaStream_t __stream = nullptr) {
        return ExclusiveScan(__storage, __bytes, __in, __out, ::cuda::std::plus<>{},
                             kbuild_device::value_of<__In>{}, __items, __stream);
    }
    template <class __In, class __Out, class __Number>
    static kbuild_device::result<__Number> InclusiveSum(void *__storage, size_t &__bytes, __In __in,
                                                        __Out __out, __Number __items,
                                                        cudaStream_t __stream = nullptr) {
        return InclusiveScan(__storage, __bytes, __in, __out, ::cuda::std::plus<>{}, __items,
                             __stream);
    }

    /* In place. */
    template <class __Data, class __Op, class __Init, class __Number>
    static kbuild_device::result<__Number> ExclusiveScan(void *__storage, size_t &__bytes,
                                                         __Data __data, __Op __op, __Init __init,
                                                         __Number __items,
                                                         cudaStream_t __stream = nullptr) {
        return ExclusiveScan(__storage, __bytes, __data, __data, __op, __init, __items, __stream);
    }
    template <class __Data, class __Op, class __Number>
    static kbuild_device::result<__Number> InclusiveScan(void *__storage, size_t &__bytes,
                                                         __Data __data, __Op __op, __Number __items,
                                                         cudaStream_t __stream = nullptr) {
        return InclusiveScan(__storage, __bytes, __data, __data, __op, __items, __stream);
    }
    template <class __Data, class __Number>
    static kbuild_device::result<__Number> ExclusiveSum(void *__storage, size_t &__bytes,
                                                        __Data __data, __Number __items,
                                                        cudaStream_t __stream = nullptr) {
        return ExclusiveSum(__storage, __bytes, __data, __data, __items, __stream);
    }
    template <class __Data, class __Number>
    static kbuild_device::result<__Number> InclusiveSum(void *__storage, size_t &__bytes,
                                                        __Data __data, __Number __items,
                                                        cudaStream_t __stream = nullptr) {
        return InclusiveSum(__storage, __bytes, __data, __data, __items, __stream);
    }

    template <class __Keys, class __In, class __Out, class __Op, class __Init, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t ExclusiveScanByKey(void *__storage, size_t &__bytes, __Keys __keys,
                                          __In __in, __Out __out, __Op __op, __Init __init,
                                          __Number __items, __Equal __equal = {},
                                          cudaStream_t __stream = nullptr) {
        return kbuild_device::run_once<kbuild_device::scan_runs<false>>(
            __storage, __bytes, __stream, __keys, __in, __out,
            static_cast<long long>(kbuild_device::count_items(__items)), __op, __init, __equal);
    }
    template <class __Keys, class __In, class __Out, class __Op, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t InclusiveScanByKey(void *__storage, size_t &__bytes, __Keys __keys,
                                          __In __in, __Out __out, __Op __op, __Number __items,
                                          __Equal __equal = {}, cudaStream_t __stream = nullptr) {
        return kbuild_device::run_once<kbuild_device::scan_runs<true>>(
            __storage, __bytes, __stream, __keys, __in, __out,
            static_cast<long long>(kbuild_device::count_items(__items)), __op,
            kbuild_device::no_init{}, __equal);
    }
    template <class __Keys, class __In, class __Out, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t ExclusiveSumByKey(void *__storage, size_t &__bytes, __Keys __keys, __In __in,
                                         __Out __out, __Number __items, __Equal __equal = {},
                                         cudaStream_t __stream = nullptr) {
        return ExclusiveScanByKey(__storage, __bytes, __keys, __in, __out, ::cuda::std::plus<>{},
                                  kbuild_device::value_of<__In>{}, __items, __equal, __stream);
    }
    template <class __Keys, class __In, class __Out, class __Number,
              class __Equal = ::cuda::std::equal_to<>>
    static cudaError_t InclusiveSumByKey(void *__storage, size_t &__bytes, __Keys __keys, __In __in,
                                         __Out __out, __Number __items, __Equal __equal = {},
                                         cudaStream_t __stream = nullptr) {
        return InclusiveScanByKey(__storage, __bytes, __keys, __in, __out, ::cuda::std::plus<>{},
                                  __items, __equal, __stream);
    }

    /* Without storage, since CCCL 3.1. */
    template <class __In, class __Out, class __Number, class __Env = kbuild_device::no_environment,
              class = ::cuda::std::enable_if_t<::cuda::std::is_integral_v<__Number>>>
    static cudaError_t ExclusiveSum(__In __in, __Out __out, __Number __items, __Env __env = {}) {
        return kbuild_device::allocate(
            __env, [=](void *__storage, size_t &__bytes, cudaStream_t __stream) {
                return ExclusiveSum(__storage, __bytes, __in, __out, __items, __stream);
            });
    }
    template <class __In, class __Out, class __Number, class __Env = kbuild_device::no_environment,
              class = ::cuda::std::enable_if_t<::cuda::std::is_integral_v<__Number>>>
    static cudaError_t InclusiveSum(__In __in, __Out __out, __Number __items, __Env __env = {}) {
        return kbuild_device::allocate(
            __env, [=](void *__storage, size_t &__bytes, cudaStream_t __stream) {
                return InclusiveSum(__storage, __bytes, __in, __out, __items, __stream);
            });
    }
};

CUB_NAMESPACE_END

#endif
