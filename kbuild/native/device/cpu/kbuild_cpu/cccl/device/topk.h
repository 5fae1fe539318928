/* cub::DeviceTopK.  Their results are the same in every run, and sorted. */
#ifndef KBUILD_CPU_CCCL_DEVICE_TOPK_H
#define KBUILD_CPU_CCCL_DEVICE_TOPK_H

#include "radix_sort.h"

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_topk.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* The indices of the best elements, as a heap whose first one is the worst of them. */
template <class __Keys, class __Less>
struct best_elements {
    __Keys keys;
    __Less less;
    size_t *indices;
    size_t count;

    bool is_better(size_t __a, size_t __b) {
        if (less(keys[__a], keys[__b])) return true;
        return !less(keys[__b], keys[__a]) && __a < __b;
    }
    void sink(size_t __place, size_t __index) {
        for (size_t __child = 2 * __place + 1; __child < count; __child = 2 * __place + 1) {
            if (__child + 1 < count && is_better(indices[__child], indices[__child + 1])) ++__child;
            if (!is_better(__index, indices[__child])) break;
            indices[__place] = indices[__child];
            __place = __child;
        }
        indices[__place] = __index;
    }
    void find(size_t __items) {
        for (size_t __i = 0; __i < count; ++__i) indices[__i] = __i;
        for (size_t __i = count / 2; __i-- > 0;) sink(__i, indices[__i]);
        for (size_t __i = count; __i < __items; ++__i)
            if (is_better(__i, indices[0])) sink(0, __i);
        /* The worst one of what is left belongs behind it. */
        while (count > 1) {
            const size_t __worst = indices[0], __last = indices[--count];
            sink(0, __last);
            indices[count] = __worst;
        }
    }
};
template <class __Keys, class __Values, class __Out, class __OutValues, class __Less>
void store_best(__Keys __keys, __Values __values, __Out __out, __OutValues __out_values,
                size_t __items, size_t __k, size_t *__indices, __Less __less) {
    const size_t __count = __k < __items ? __k : __items;
    if (__count == 0) return;
    best_elements<__Keys, __Less>{__keys, __less, __indices, __count}.find(__items);
    for (size_t __i = 0; __i < __count; ++__i)
        move_element(__keys, __values, static_cast<long long>(__indices[__i]), __out, __out_values,
                     static_cast<long long>(__i));
}
struct find_best {
    template <class __Keys, class __Values, class __Out, class __OutValues, class __Less>
    static void run(size_t, __Keys __keys, __Values __values, __Out __out, __OutValues __out_values,
                    size_t __items, size_t __k, size_t *__indices, __Less __less) {
        store_best(__keys, __values, __out, __out_values, __items, __k, __indices, __less);
    }
};
template <class __Keys, class __Values, class __Out, class __OutValues, class __Less>
cudaError_t top_k(const call &__call, __Keys __keys, __Out __out, __Values __values,
                  __OutValues __out_values, size_t __items, size_t __k, __Less __less) {
    const size_t __count = __k < __items ? __k : __items;
    return with_storage(__call, __count * sizeof(size_t), [=](char *__memory) {
        return launch<find_best>(__call.stream, 1, __keys, __values, __out, __out_values, __items,
                                 __k, reinterpret_cast<size_t *>(__memory), __less);
    });
}
template <class __Number, class __K>
using both_numbers = result<::cuda::std::_If<::cuda::std::is_integral_v<__Number>, __K, void>>;

struct top_elements {
#define KBUILD_CPU_TOP(name, is_descending) \
    template <class __In, class __Out, class __Number, class __K> \
    static both_numbers<__Number, __K> name##Keys(const call &__call, __In __in, __Out __out, \
                                                  __Number __items, __K __k) { \
        return top_k(__call, __in, __out, no_values{}, no_values{}, count_items(__items), \
                     count_items(__k), bit_range<is_descending>{0, width<value_of<__In>>}); \
    } \
    template <class __In, class __Out, class __V, class __OutV, class __Number, class __K> \
    static both_numbers<__Number, __K> name##Pairs(const call &__call, __In __in, __Out __out, \
                                                   __V __values, __OutV __out_values, \
                                                   __Number __items, __K __k) { \
        return top_k(__call, __in, __out, __values, __out_values, count_items(__items), \
                     count_items(__k), bit_range<is_descending>{0, width<value_of<__In>>}); \
    } \
    template <class __In, class __Out, class __Number, class __K, class __Decompose> \
    static decomposing<__Decompose> name##Keys(const call &__call, __In __in, __Out __out, \
                                               __Number __items, __K __k, \
                                               __Decompose __decompose) { \
        return top_k( \
            __call, __in, __out, no_values{}, no_values{}, count_items(__items), count_items(__k), \
            decomposed_range<is_descending, __Decompose>{__decompose, 0, width<value_of<__In>>}); \
    } \
    template <class __In, class __Out, class __V, class __OutV, class __Number, class __K, \
              class __Decompose> \
    static decomposing<__Decompose> name##Pairs( \
        const call &__call, __In __in, __Out __out, __V __values, __OutV __out_values, \
        __Number __items, __K __k, __Decompose __decompose) { \
        return top_k( \
            __call, __in, __out, __values, __out_values, count_items(__items), count_items(__k), \
            decomposed_range<is_descending, __Decompose>{__decompose, 0, width<value_of<__In>>}); \
    }
    KBUILD_CPU_TOP(Max, true)
    KBUILD_CPU_TOP(Min, false)
#undef KBUILD_CPU_TOP
};

}  // namespace kbuild_device

struct DeviceTopK {
    KBUILD_CPU_ALGORITHM(top_elements, MaxKeys)
    KBUILD_CPU_ALGORITHM(top_elements, MaxPairs)
    KBUILD_CPU_ALGORITHM(top_elements, MinKeys)
    KBUILD_CPU_ALGORITHM(top_elements, MinPairs)
};

CUB_NAMESPACE_END

#endif
