/* cub::BlockReduce in kernels that are divided into regions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_REDUCE_H
#define KBUILD_CPU_CCCL_BLOCK_REDUCE_H

#include "reducing.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

/* Leaves the combination of a block's values in the first one. */
template <int __Threads>
struct block_of_warps {
    template <class __T, class __Combine>
    static void reduce(__T (&__values)[__Threads], int __valid, const __Combine &__combine) {
        constexpr int __width = __Threads < 32 ? __Threads : 32;
        for (int __first = 0; __first < __Threads && __first < __valid; __first += __width) {
            const int __rest = __valid - __first;
            reduce_lanes<__width>(__values + __first, __first, __rest < __width ? __rest : __width,
                                  __combine);
        }
        for (int __first = __width; __first < __Threads && __first < __valid; __first += __width)
            __values[0] = __combine(0, __values[0], __values[__first]);
    }
};
template <int __Threads>
struct block_of_segments {
    template <class __T, class __Combine>
    static void reduce(__T (&__values)[__Threads], int __valid, const __Combine &__combine) {
        using __layout = raking_layout<__Threads>;
        constexpr int __length = __layout::length;
        if constexpr (__length > 1) {
            for (int __i = 0; __i < __layout::segments && __i * __length < __valid; ++__i) {
                __T __sum = __values[__i * __length];
                for (int __k = __i * __length + 1; __k < (__i + 1) * __length && __k < __valid;
                     ++__k)
                    __sum = __combine(__i, __sum, __values[__k]);
                __values[__i] = __sum;
            }
            __valid = (__valid + __length - 1) / __length;
        }
        reduce_lanes<__layout::segments>(__values, 0, __valid, __combine);
    }
};
/* The first warp combines the values of the others with its own, in another order. */
template <int __Threads>
struct block_of_sharing_warps {
    template <class __T, class __Combine>
    static void reduce(__T (&__values)[__Threads], int __valid, const __Combine &__combine) {
        if constexpr (__Threads % 32 != 0 || __Threads <= 32) {
            block_of_segments<__Threads>::reduce(__values, __valid, __combine);
        } else {
            if (__valid < __Threads)
                return block_of_segments<__Threads>::reduce(__values, __valid, __combine);
            constexpr int __length = (__Threads - 32) / 32;
            for (int __i = 0; __i < 32; ++__i) {
                __T __part[__length];
                for (int __k = 0; __k < __length; ++__k)
                    __part[__k] = __values[32 + __i * __length + __k];
                [[maybe_unused]] const auto __inside = __combine.__of.enter(__combine.__block, __i);
                __values[__i] = CUB_NS_QUALIFIER::ThreadReduce(
                    __part, __combine.__of.entries[__i].op, __values[__i]);
            }
            reduce_lanes<32>(__values, 0, 32, __combine);
        }
    }
};

template <class __Block, int __X, int __Y, int __Z>
struct block_reduction {
    static constexpr int threads = __X * __Y * __Z;

    template <class __T, class __Frame, class __Combine>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of,
                    const __Combine &__combine) {
        const int __brought = __of.entries[find_first(__set, 0)].valid;
        const int __valid = __brought < threads ? __brought : threads;
        check_block<__X, __Y, __Z>(__of.caller, __set, __live, __valid);
        __T __values[threads];
        take_values(__values, __set, 0, __of);
        __Block::reduce(__values, __valid, __combine);
        if (__set.has(0)) __of.entries[0].value = __values[0];
    }
};
template <int __Algorithm, int __Threads>
struct block_order;
template <int __Threads>
struct block_order<CUB_NS_QUALIFIER::BLOCK_REDUCE_WARP_REDUCTIONS, __Threads>
    : block_of_warps<__Threads> {};
template <int __Threads>
struct block_order<CUB_NS_QUALIFIER::BLOCK_REDUCE_RAKING, __Threads>
    : block_of_segments<__Threads> {};
template <int __Threads>
struct block_order<CUB_NS_QUALIFIER::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, __Threads>
    : block_of_sharing_warps<__Threads> {};

template <class __T, int __X, CUB_NS_QUALIFIER::BlockReduceAlgorithm __Algorithm, int __Y, int __Z>
struct primitive<CUB_NS_QUALIFIER::BlockReduce<__T, __X, __Algorithm, __Y, __Z>>
    : reducing<block_reduction<block_order<__Algorithm, __X * __Y * __Z>, __X, __Y, __Z>,
               __X * __Y * __Z, __T> {
    primitive() = default;
    primitive(
        typename CUB_NS_QUALIFIER::BlockReduce<__T, __X, __Algorithm, __Y, __Z>::TempStorage &) {}
};

}  // namespace kbuild_cpu::regions

CUB_NAMESPACE_BEGIN
template <typename, int, BlockReduceAlgorithm, int, int>
class KBUILD_BLOCK_PRIMITIVE BlockReduce;
CUB_NAMESPACE_END

#endif
