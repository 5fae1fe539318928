/* cub::DeviceAdjacentDifference, cub::DeviceCopy, cub::DeviceMemcpy, and cub::DeviceMerge. */
#ifndef KBUILD_CPU_CCCL_DEVICE_RANGES_H
#define KBUILD_CPU_CCCL_DEVICE_RANGES_H

#include "for.h"
#include "sort.h"

/* Policies, which programs can select, and which have no effect here. */
#if CUB_VERSION >= 300500
#include <cub/device/dispatch/tuning/tuning_adjacent_difference.cuh>
#include <cub/device/dispatch/tuning/tuning_batch_memcpy.cuh>
#include <cub/device/dispatch/tuning/tuning_merge.cuh>
#endif

#pragma GCC system_header

CUB_NAMESPACE_BEGIN
namespace kbuild_device {

/* One thread, in an order in which the output can be the memory of the input. */
struct subtract_left {
    template <class __In, class __Out, class __Op>
    static void run(size_t, __In __in, __Out __out, long long __items, __Op __op) {
        if (__items == 0) return;
        value_of<__In> __before = __in[0];
        __out[0] = __before;
        for (long long __i = 1; __i < __items; ++__i) {
            const value_of<__In> __value = __in[__i];
            __out[__i] = __op(__value, __before);
            __before = __value;
        }
    }
};
struct subtract_right {
    template <class __In, class __Out, class __Op>
    static void run(size_t, __In __in, __Out __out, long long __items, __Op __op) {
        for (long long __i = 0; __i + 1 < __items; ++__i) {
            const value_of<__In> __value = __in[__i], __after = __in[__i + 1];
            __out[__i] = __op(__value, __after);
        }
        if (__items > 0) __out[__items - 1] = __in[__items - 1];
    }
};
struct copy_buffers {
    template <class __From, class __To, class __Sizes>
    static void run(size_t __part, __From __from, __To __to, __Sizes __sizes, parts __parts,
                    size_t __count) {
        const size_t __last = __parts.last(__part, __count);
        for (size_t __i = __parts.first(__part); __i < __last; ++__i)
            memcpy(static_cast<void *>(__to[__i]), static_cast<const void *>(__from[__i]),
                   static_cast<size_t>(__sizes[__i]));
    }
};
struct copy_ranges {
    template <class __From, class __To, class __Sizes>
    static void run(size_t __part, __From __from, __To __to, __Sizes __sizes, parts __parts,
                    size_t __count) {
        const size_t __last = __parts.last(__part, __count);
        for (size_t __i = __parts.first(__part); __i < __last; ++__i) {
            auto __source = __from[__i];
            auto __target = __to[__i];
            for (long long __k = 0, __size = static_cast<long long>(__sizes[__i]); __k < __size;
                 ++__k)
                __target[__k] = __source[__k];
        }
    }
};
template <class __Algorithm, class __From, class __To, class __Sizes>
cudaError_t copy_all(const call &__call, __From __from, __To __to, __Sizes __sizes,
                     size_t __count) {
    const parts __parts = divide(__count, 4);
    return with_storage(__call, 0, [=](char *) {
        return launch<__Algorithm>(__call.stream, __parts.count, __from, __to, __sizes, __parts,
                                   __count);
    });
}
struct merge_two {
    template <class __A, class __AV, class __B, class __BV, class __Out, class __OutV, class __Less>
    static void run(size_t, __A __a, __AV __a_values, long long __a_items, __B __b, __BV __b_values,
                    long long __b_items, __Out __out, __OutV __values, __Less __less) {
        long long __i = 0, __j = 0;
        for (long long __place = 0; __place < __a_items + __b_items; ++__place)
            if (__i == __a_items || (__j < __b_items && __less(__b[__j], __a[__i])))
                move_element(__b, __b_values, __j++, __out, __values, __place);
            else
                move_element(__a, __a_values, __i++, __out, __values, __place);
    }
};

/* Every element of a multidimensional range, in the order of the output. */
template <class __In, class __Out>
struct copy_place {
    __In in;
    __Out out;
    template <class __Index, class... __Places>
    void operator()(__Index, __Places... __places) {
        out(__places...) = in(__places...);
    }
};

struct differences {
#define KBUILD_CPU_DIFFERENCE(name, algorithm) \
    template <class __In, class __Out, class __Number, class __Op = ::cuda::std::minus<>> \
    static cudaError_t name##Copy(const call &__call, __In __in, __Out __out, __Number __items, \
                                  __Op __op = {}) { \
        return run_once<algorithm>(__call, __in, __out, \
                                   static_cast<long long>(count_items(__items)), __op); \
    } \
    template <class __Data, class __Number, class __Op = ::cuda::std::minus<>> \
    static cudaError_t name(const call &__call, __Data __data, __Number __items, __Op __op = {}) { \
        return name##Copy(__call, __data, __data, __items, __op); \
    }
    KBUILD_CPU_DIFFERENCE(SubtractLeft, subtract_left)
    KBUILD_CPU_DIFFERENCE(SubtractRight, subtract_right)
#undef KBUILD_CPU_DIFFERENCE
};

struct memory_copies {
    template <class __From, class __To, class __Sizes, class __Number>
    static cudaError_t Batched(const call &__call, __From __from, __To __to, __Sizes __sizes,
                               __Number __count) {
        return copy_all<copy_buffers>(__call, __from, __to, __sizes, count_items(__count));
    }
};
struct range_copies {
    template <class __From, class __To, class __Sizes, class __Number>
    static cudaError_t Batched(const call &__call, __From __from, __To __to, __Sizes __sizes,
                               __Number __count) {
        return copy_all<copy_ranges>(__call, __from, __to, __sizes, count_items(__count));
    }
    template <class __T, class __Extents, class __Layout, class __Accessor, class __U,
              class __OutExtents, class __OutLayout, class __OutAccessor>
    static cudaError_t Copy(
        const call &__call, ::cuda::std::mdspan<__T, __Extents, __Layout, __Accessor> __in,
        ::cuda::std::mdspan<__U, __OutExtents, __OutLayout, __OutAccessor> __out) {
        return loops::ForEachInExtents(__call, __out.extents(),
                                       copy_place<decltype(__in), decltype(__out)>{__in, __out});
    }
};

template <class __N, class __M>
using both =
    ::cuda::std::enable_if_t<::cuda::std::is_integral_v<__N> && ::cuda::std::is_integral_v<__M>,
                             cudaError_t>;
struct merges {
    template <class __A, class __N, class __B, class __M, class __Out,
              class __Less = ::cuda::std::less<>>
    static both<__N, __M> MergeKeys(const call &__call, __A __a, __N __a_items, __B __b,
                                    __M __b_items, __Out __out, __Less __less = {}) {
        return MergePairs(__call, __a, no_values{}, __a_items, __b, no_values{}, __b_items, __out,
                          no_values{}, __less);
    }
    template <class __A, class __AV, class __N, class __B, class __BV, class __M, class __Out,
              class __OutV, class __Less = ::cuda::std::less<>>
    static both<__N, __M> MergePairs(const call &__call, __A __a, __AV __a_values, __N __a_items,
                                     __B __b, __BV __b_values, __M __b_items, __Out __out,
                                     __OutV __values, __Less __less = {}) {
        return run_once<merge_two>(
            __call, __a, __a_values, static_cast<long long>(count_items(__a_items)), __b,
            __b_values, static_cast<long long>(count_items(__b_items)), __out, __values, __less);
    }
};

}  // namespace kbuild_device

struct DeviceAdjacentDifference {
    KBUILD_CPU_ALGORITHM(differences, SubtractLeft)
    KBUILD_CPU_ALGORITHM(differences, SubtractLeftCopy)
    KBUILD_CPU_ALGORITHM(differences, SubtractRight)
    KBUILD_CPU_ALGORITHM(differences, SubtractRightCopy)
};
struct DeviceMemcpy {
    KBUILD_CPU_ALGORITHM(memory_copies, Batched)
};
struct DeviceCopy {
    KBUILD_CPU_ALGORITHM(range_copies, Batched)
    KBUILD_CPU_ALGORITHM(range_copies, Copy)
};
struct DeviceMerge {
    KBUILD_CPU_ALGORITHM(merges, MergeKeys)
    KBUILD_CPU_ALGORITHM(merges, MergePairs)
};

CUB_NAMESPACE_END

#endif
