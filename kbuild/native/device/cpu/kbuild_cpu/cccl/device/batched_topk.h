/* cub::DeviceBatchedTopK. */
#ifndef KBUILD_CPU_CCCL_DEVICE_BATCHED_TOPK_H
#define KBUILD_CPU_CCCL_DEVICE_BATCHED_TOPK_H

#include "topk.h"

#include <cub/detail/segmented_params.cuh>

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_batched_topk.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

struct no_segments {
    no_values operator[](long long) const { return {}; }
};
/* Only a kernel can read sizes that it gets in memory, so that each segment has its own memory for indices. */
template <bool __is_descending>
struct find_best_of_segments {
    template <class __Keys, class __Out, class __V, class __OutV, class __Sizes, class __K>
    static void run(size_t __part, __Keys __keys, __Out __out, __V __values, __OutV __out_values,
                    __Sizes __sizes, __K __ks, parts __parts, size_t __segments) {
        using __Key = value_of<value_of<__Keys>>;
        const size_t __last = __parts.last(__part, __segments);
        for (size_t __s = __parts.first(__part); __s < __last; ++__s) {
            const size_t __items = count_items(detail::params::get_param(__sizes, __s));
            const size_t __k = count_items(detail::params::get_param(__ks, __s));
            size_t *const __indices = new size_t[__k < __items ? __k : __items];
            store_best(__keys[__s], __values[__s], __out[__s], __out_values[__s], __items, __k,
                       __indices, bit_range<__is_descending>{0, width<__Key>});
            delete[] __indices;
        }
    }
};
struct top_elements_of_segments {
#define KBUILD_CPU_TOP(name, is_descending) \
    template <class __In, class __Out, class __V, class __OutV, class __Sizes, class __K, \
              class __Segments> \
    static cudaError_t name##Pairs(const call &__call, __In __in, __Out __out, __V __values, \
                                   __OutV __out_values, __Sizes __sizes, __K __k, \
                                   __Segments __segments) { \
        const size_t __count = count_items(detail::params::get_param(__segments, 0)); \
        const parts __parts = divide(__count, 4); \
        return run_all<find_best_of_segments<is_descending>>(__call, __parts.count, __in, __out, \
                                                             __values, __out_values, __sizes, __k, \
                                                             __parts, __count); \
    } \
    template <class __In, class __Out, class __Sizes, class __K, class __Segments> \
    static cudaError_t name##Keys(const call &__call, __In __in, __Out __out, __Sizes __sizes, \
                                  __K __k, __Segments __segments) { \
        return name##Pairs(__call, __in, __out, no_segments{}, no_segments{}, __sizes, __k, \
                           __segments); \
    }
    KBUILD_CPU_TOP(Max, true)
    KBUILD_CPU_TOP(Min, false)
#undef KBUILD_CPU_TOP
};

}  // namespace kbuild_device

struct DeviceBatchedTopK {
    KBUILD_CPU_ALGORITHM(top_elements_of_segments, MaxKeys)
    KBUILD_CPU_ALGORITHM(top_elements_of_segments, MaxPairs)
    KBUILD_CPU_ALGORITHM(top_elements_of_segments, MinKeys)
    KBUILD_CPU_ALGORITHM(top_elements_of_segments, MinPairs)
};

CUB_NAMESPACE_END

#endif
