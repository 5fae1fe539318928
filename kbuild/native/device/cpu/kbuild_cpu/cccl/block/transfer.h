/* cub::BlockLoad and cub::BlockStore in kernels that are divided into regions.
 *
 * How threads exchange items on the way changes no value that CUB defines. */
#ifndef KBUILD_CPU_CCCL_BLOCK_TRANSFER_H
#define KBUILD_CPU_CCCL_BLOCK_TRANSFER_H

#include "../../regions/teams.h"

#include <cub/config.cuh>

#pragma GCC system_header

namespace kbuild_cpu::regions {

template <int __X, int __Y, int __Z>
struct block_shape {
    static constexpr int threads = __X * __Y * __Z;
    /* Checks the threads. They meet only if they exchange items. */
    template <bool __Meets, class __Set, class __Live>
    static void check(const kbuild_cpu_call &__call, const __Set &__set, const __Live &__live) {
        const block &__of = __set.of;
        if constexpr (__Meets)
            check_block<__X, __Y, __Z>(__call, __set, __live);
        else if (__of.width != __X || __of.height != __Y || __of.rows != __Y * __Z)
            reject_team(__call, __set);
    }
};

/* What a thread brings: a function that moves its items. */
template <class __Shape, bool __Meets, class __Move>
struct transfer {
    static constexpr char name[] = "Load or Store";
    __Move move;

    void result() const {}
    template <class __Frame>
    static void run(const set_view &__set, const set_view &__live, __Frame &__of) {
        __Shape::template check<__Meets>(__of.caller, __set, __live);
        for (int __number = 0; __number < __set.of.threads; ++__number)
            if (__set.has(__number)) {
                [[maybe_unused]] const auto __inside = __of.enter(__set.of, __number);
                __of.entries[__number].move(__number);
            }
    }
};

}  // namespace kbuild_cpu::regions

#endif
