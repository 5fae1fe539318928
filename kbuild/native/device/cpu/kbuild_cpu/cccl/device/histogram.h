/* cub::DeviceHistogram. */
#ifndef KBUILD_CPU_CCCL_DEVICE_HISTOGRAM_H
#define KBUILD_CPU_CCCL_DEVICE_HISTOGRAM_H

#include "launch.h"

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_histogram.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* Which bin has a sample; -1 outside of all of them. */
template <class __Level>
struct even_bins {
    __Level lower, upper;
    int levels;
    template <class __Sample>
    int find(const __Sample &__sample) const {
        using __T = ::cuda::std::common_type_t<__Level, __Sample>;
        const __T __value = static_cast<__T>(__sample);
        const __T __low = static_cast<__T>(lower), __high = static_cast<__T>(upper);
        if (!(__value >= __low && __value < __high)) return -1;
        const int __bins = levels - 1;
        if constexpr (::cuda::std::is_integral_v<__T>) {
            using __Wide =
                ::cuda::std::_If<(sizeof(__T) < 8), unsigned long long, unsigned __int128>;
            const __Wide __offset =
                static_cast<__Wide>(static_cast<__Wide>(__value) - static_cast<__Wide>(__low));
            const __Wide __range =
                static_cast<__Wide>(static_cast<__Wide>(__high) - static_cast<__Wide>(__low));
            return static_cast<int>(__offset * static_cast<__Wide>(__bins) / __range);
        } else {
            /* In the order of CUB's operations. */
            const __T __scale = static_cast<__T>(__bins) / (__high - __low);
            const int __bin = static_cast<int>((__value - __low) * __scale);
            return __bin < __bins ? __bin : __bins - 1;
        }
    }
};
template <class __Level>
struct ranges {
    const __Level *level;
    int levels;
    template <class __Sample>
    int find(const __Sample &__sample) const {
        int __low = 0, __high = levels;  // the first level that is greater
        while (__low < __high) {
            const int __middle = (__low + __high) / 2;
            if (static_cast<__Level>(__sample) < level[__middle])
                __high = __middle;
            else
                __low = __middle + 1;
        }
        return __low == levels ? -1 : __low - 1;
    }
};
template <int __active, class __Bins, class __Counter>
struct channels {
    __Bins bins[__active];
    __Counter *counters[__active];
};

template <int __channels, int __active>
struct count_samples {
    template <class __Samples, class __Channels>
    static void run(size_t, __Samples __samples, __Channels __all, long long __pixels,
                    long long __rows, long long __stride) {
        for (int __c = 0; __c < __active; ++__c)
            for (int __bin = 0; __bin + 1 < __all.bins[__c].levels; ++__bin)
                __all.counters[__c][__bin] = 0;
        for (long long __row = 0; __row < __rows; ++__row)
            for (long long __pixel = 0; __pixel < __pixels; ++__pixel)
                for (int __c = 0; __c < __active; ++__c) {
                    const auto __sample = __samples[__row * __stride + __pixel * __channels + __c];
                    const int __bin = __all.bins[__c].find(__sample);
                    if (__bin >= 0) ++__all.counters[__c][__bin];
                }
    }
};

struct histograms {
    template <int __channels, int __active, class __Samples, class __Counter, class __Level,
              class __Number>
    static cudaError_t MultiHistogramEven(const call &__call, __Samples __samples,
                                          __Counter *__histograms[__active],
                                          const int __levels[__active],
                                          const __Level __lower[__active],
                                          const __Level __upper[__active], __Number __pixels,
                                          __Number __rows, size_t __row_bytes) {
        channels<__active, even_bins<__Level>, __Counter> __all;
        for (int __c = 0; __c < __active; ++__c) {
            if (!(__lower[__c] < __upper[__c]) || __levels[__c] < 2) return cudaErrorInvalidValue;
            __all.bins[__c] = {__lower[__c], __upper[__c], __levels[__c]};
            __all.counters[__c] = __histograms[__c];
        }
        return __count<__channels, __active>(__call, __samples, __all, __pixels, __rows,
                                             __row_bytes);
    }
    template <int __channels, int __active, class __Samples, class __Counter, class __Level,
              class __Number>
    static cudaError_t MultiHistogramRange(const call &__call, __Samples __samples,
                                           __Counter *__histograms[__active],
                                           const int __levels[__active],
                                           const __Level *const __bounds[__active],
                                           __Number __pixels, __Number __rows, size_t __row_bytes) {
        channels<__active, ranges<__Level>, __Counter> __all;
        for (int __c = 0; __c < __active; ++__c) {
            if (__levels[__c] < 2) return cudaErrorInvalidValue;
            __all.bins[__c] = {__bounds[__c], __levels[__c]};
            __all.counters[__c] = __histograms[__c];
        }
        return __count<__channels, __active>(__call, __samples, __all, __pixels, __rows,
                                             __row_bytes);
    }
    template <int __channels, int __active, class __Samples, class __Counter, class __Level,
              class __Number>
    static cudaError_t MultiHistogramEven(const call &__call, __Samples __samples,
                                          __Counter *__histograms[__active],
                                          const int __levels[__active],
                                          const __Level __lower[__active],
                                          const __Level __upper[__active], __Number __pixels) {
        return MultiHistogramEven<__channels, __active>(__call, __samples, __histograms, __levels,
                                                        __lower, __upper, __pixels,
                                                        static_cast<__Number>(1), 0);
    }
    template <int __channels, int __active, class __Samples, class __Counter, class __Level,
              class __Number>
    static cudaError_t MultiHistogramRange(const call &__call, __Samples __samples,
                                           __Counter *__histograms[__active],
                                           const int __levels[__active],
                                           const __Level *const __bounds[__active],
                                           __Number __pixels) {
        return MultiHistogramRange<__channels, __active>(__call, __samples, __histograms, __levels,
                                                         __bounds, __pixels,
                                                         static_cast<__Number>(1), 0);
    }
    template <class __Samples, class __Counter, class __Level, class __Number>
    static cudaError_t HistogramEven(const call &__call, __Samples __samples,
                                     __Counter *__histogram, int __levels, __Level __lower,
                                     __Level __upper, __Number __row_samples, __Number __rows,
                                     size_t __row_bytes) {
        return MultiHistogramEven<1, 1>(__call, __samples, &__histogram, &__levels, &__lower,
                                        &__upper, __row_samples, __rows, __row_bytes);
    }
    template <class __Samples, class __Counter, class __Level, class __Number>
    static cudaError_t HistogramEven(const call &__call, __Samples __samples,
                                     __Counter *__histogram, int __levels, __Level __lower,
                                     __Level __upper, __Number __count) {
        return MultiHistogramEven<1, 1>(__call, __samples, &__histogram, &__levels, &__lower,
                                        &__upper, __count);
    }
    template <class __Samples, class __Counter, class __Level, class __Number>
    static cudaError_t HistogramRange(const call &__call, __Samples __samples,
                                      __Counter *__histogram, int __levels, const __Level *__bounds,
                                      __Number __row_samples, __Number __rows, size_t __row_bytes) {
        return MultiHistogramRange<1, 1>(__call, __samples, &__histogram, &__levels, &__bounds,
                                         __row_samples, __rows, __row_bytes);
    }
    template <class __Samples, class __Counter, class __Level, class __Number>
    static cudaError_t HistogramRange(const call &__call, __Samples __samples,
                                      __Counter *__histogram, int __levels, const __Level *__bounds,
                                      __Number __count) {
        return MultiHistogramRange<1, 1>(__call, __samples, &__histogram, &__levels, &__bounds,
                                         __count);
    }

private:
    template <int __channels, int __active, class __Samples, class __All, class __Number>
    static cudaError_t __count(const call &__call, __Samples __samples, __All __all,
                               __Number __pixels, __Number __rows, size_t __row_bytes) {
        using __Sample = value_of<__Samples>;
        return run_once<count_samples<__channels, __active>>(
            __call, __samples, __all, static_cast<long long>(count_items(__pixels)),
            static_cast<long long>(count_items(__rows)),
            static_cast<long long>(__row_bytes / sizeof(__Sample)));
    }
};

}  // namespace kbuild_device

struct DeviceHistogram {
    KBUILD_CPU_ALGORITHM(histograms, HistogramEven)
    KBUILD_CPU_ALGORITHM(histograms, HistogramRange)
    KBUILD_CPU_ALGORITHM_OF(histograms, MultiHistogramEven)
    KBUILD_CPU_ALGORITHM_OF(histograms, MultiHistogramRange)
};

CUB_NAMESPACE_END

#endif
