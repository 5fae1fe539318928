/* cub::BlockRadixSort in kernels that are divided into regions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_RADIX_SORT_H
#define KBUILD_CPU_CCCL_BLOCK_RADIX_SORT_H

#include "../../regions/teams.h"

#include <cub/config.cuh>
#include <cub/block/radix_rank_sort_operations.cuh>
#include <cuda/std/type_traits>

#pragma GCC system_header

namespace kbuild_cpu::regions {

/* What a thread brings: its keys, its values, and which bits count. */
template <class __Key, class __Value, int __Items, int __Bits, bool __Descending, bool __Striped,
          int __X, int __Y, int __Z>
struct sorted {
    static constexpr char name[] = "Sort";
    static constexpr int threads = __X * __Y * __Z, count = threads * __Items;
    static constexpr bool has_values = !is_same_v<__Value, CUB_NS_QUALIFIER::NullType>;
    static_assert(::cuda::std::is_trivially_copyable_v<__Value> && __Bits <= 8 &&
                      count * (2 * (sizeof(__Key) + sizeof(__Value)) + 4) <= 512 * 1024,
                  "kbuild: threads cannot sort such values in a region");
    using __traits = CUB_NS_QUALIFIER::detail::radix::traits_t<__Key>;
    using __ordered = typename __traits::bit_ordered_type;
    using __conversion = typename __traits::bit_ordered_conversion_policy;

    __Key *keys;
    __Value *values;
    int begin, end;

    void result() const {}
    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        check_block<__X, __Y, __Z>(__of.caller, __set, __live);
        CUB_NS_QUALIFIER::detail::identity_decomposer_t __decomposer;
        __ordered __keys[count], __before[count];
        unsigned short __order[count], __next[count];
        for (int __i = 0; __i < count; ++__i) {
            memcpy(__keys + __i, __of.entries[__i / __Items].keys + __i % __Items, sizeof(__Key));
            __keys[__i] = __conversion::to_bit_ordered(__decomposer, __keys[__i]);
            __order[__i] = static_cast<unsigned short>(__i);
        }
        memcpy(__before, __keys, sizeof __keys);
        const int __begin = __of.entries[0].begin, __end = __of.entries[0].end;
        for (int __bit = __begin; __bit < __end; __bit += __Bits) {
            auto __digits =
                __traits::template digit_extractor<CUB_NS_QUALIFIER::BFEDigitExtractor<__Key>>(
                    __bit, __end - __bit < __Bits ? __end - __bit : __Bits, __decomposer);
            int __places[(1 << __Bits) + 1] = {};
            const auto __bin = [&](int __i) {
                const int __digit = static_cast<int>(__digits.Digit(__before[__i]));
                return __Descending ? (1 << __Bits) - 1 - __digit : __digit;
            };
            for (int __i = 0; __i < count; ++__i) ++__places[__bin(__i) + 1];
            for (int __d = 0; __d < 1 << __Bits; ++__d) __places[__d + 1] += __places[__d];
            for (int __i = 0; __i < count; ++__i)
                __next[__places[__bin(__order[__i])]++] = __order[__i];
            memcpy(__order, __next, sizeof __order);
        }
        for (int __i = 0; __i < count; ++__i) {
            const __ordered __key =
                __conversion::from_bit_ordered(__decomposer, __before[__order[__i]]);
            const int __owner = __Striped ? __i % threads : __i / __Items;
            const int __item = __Striped ? __i / threads : __i % __Items;
            memcpy(static_cast<void *>(__of.entries[__owner].keys + __item), &__key, sizeof(__Key));
        }
        if constexpr (has_values) {
            struct __room {
                alignas(__Value) unsigned char __bytes[sizeof(__Value)];
            } __values[count];
            for (int __i = 0; __i < count; ++__i)
                memcpy(__values + __i,
                       __of.entries[__order[__i] / __Items].values + __order[__i] % __Items,
                       sizeof(__Value));
            for (int __i = 0; __i < count; ++__i) {
                const int __owner = __Striped ? __i % threads : __i / __Items;
                const int __item = __Striped ? __i / threads : __i % __Items;
                memcpy(static_cast<void *>(__of.entries[__owner].values + __item), __values + __i,
                       sizeof(__Value));
            }
        }
    }
};

template <class __Key, int __X, int __Items, class __Value, int __Bits, bool __Memoize,
          CUB_NS_QUALIFIER::BlockScanAlgorithm __Scan, cudaSharedMemConfig __Config, int __Y,
          int __Z>
struct primitive<CUB_NS_QUALIFIER::BlockRadixSort<__Key, __X, __Items, __Value, __Bits, __Memoize,
                                                  __Scan, __Config, __Y, __Z>> {
    using __object = CUB_NS_QUALIFIER::BlockRadixSort<__Key, __X, __Items, __Value, __Bits,
                                                      __Memoize, __Scan, __Config, __Y, __Z>;
    primitive() = default;
    primitive(typename __object::TempStorage &) {}

#define KBUILD_CPU_BLOCK_SORT(name, is_descending, is_striped) \
    using __##name = \
        sorted<__Key, __Value, __Items, __Bits, is_descending, is_striped, __X, __Y, __Z>; \
    __##name name(__Key(&__keys)[__Items], int __begin = 0, int __end = sizeof(__Key) * 8) const { \
        static_assert(!__##name::has_values, "kbuild: the values are not known"); \
        return {__keys, nullptr, __begin, __end}; \
    } \
    __##name name(__Key(&__keys)[__Items], __Value(&__values)[__Items], int __begin = 0, \
                  int __end = sizeof(__Key) * 8) const { \
        return {__keys, __values, __begin, __end}; \
    }
    KBUILD_CPU_BLOCK_SORT(Sort, false, false)
    KBUILD_CPU_BLOCK_SORT(SortDescending, true, false)
    KBUILD_CPU_BLOCK_SORT(SortBlockedToStriped, false, true)
    KBUILD_CPU_BLOCK_SORT(SortDescendingBlockedToStriped, true, true)
#undef KBUILD_CPU_BLOCK_SORT
};

}  // namespace kbuild_cpu::regions

CUB_NAMESPACE_BEGIN
template <typename, int, int, typename, int, bool, BlockScanAlgorithm, cudaSharedMemConfig, int,
          int>
class KBUILD_BLOCK_PRIMITIVE BlockRadixSort;
CUB_NAMESPACE_END

#endif
