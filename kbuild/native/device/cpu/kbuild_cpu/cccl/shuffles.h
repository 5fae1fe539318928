/* cuda::device::warp_shuffle_*: shuffles of values of any size. */
#ifndef KBUILD_CPU_CCCL_SHUFFLES_H
#define KBUILD_CPU_CCCL_SHUFFLES_H

#include "namespaces.h"
#include "ptx.h"

#include <cuda/std/type_traits>

#pragma GCC system_header

KBUILD_CPU_CCCL_DEVICE

template <class __T>
struct warp_shuffle_result {
    __T data;
    bool pred;

    template <class __U = __T>
    [[nodiscard]] operator ::cuda::std::enable_if_t<!::cuda::std::is_array_v<__U>, __U>() const {
        return data;
    }
};

template <int __width, class __T>
warp_shuffle_result<::cuda::std::remove_cv_t<__T>> kbuild_shuffle(const __T &__value,
                                                                  ::kbuild_cpu::shuffle __from,
                                                                  unsigned int __mask) {
    static_assert(__width >= 1 && __width <= 32 && (__width & (__width - 1)) == 0,
                  "kbuild: the width of a shuffle is a power of 2, and at most 32");
    const kbuild_cpu_call __call{"warp_shuffle", nullptr, 0, 32};
    return {::kbuild_cpu::shuffle_object(__call, __mask, __value, __from), !__from.__is_own};
}

#define KBUILD_CPU_WARP_SHUFFLE(name, function) \
    template <int __width = 32, class __T> \
    [[nodiscard]] auto KBUILD_NEEDS_BLOCK warp_shuffle_##name( \
        const __T &__value, int __from, unsigned int __mask = 0xFFFFFFFF, \
        ::cuda::std::integral_constant<int, __width> = {}) { \
        const auto __source = \
            ::kbuild_cpu::function(static_cast<int>(::kbuild_cpu::ptx::lane()), __from, __width); \
        return ::cuda::device::kbuild_shuffle<__width>(__value, __source, __mask); \
    } \
    template <int __width, class __T> \
    [[nodiscard]] auto KBUILD_NEEDS_BLOCK warp_shuffle_##name( \
        const __T &__value, int __from, ::cuda::std::integral_constant<int, __width> __constant) { \
        return ::cuda::device::warp_shuffle_##name(__value, __from, 0xFFFFFFFF, __constant); \
    }
KBUILD_CPU_WARP_SHUFFLE(idx, shuffle_index)
KBUILD_CPU_WARP_SHUFFLE(up, shuffle_up)
KBUILD_CPU_WARP_SHUFFLE(down, shuffle_down)
KBUILD_CPU_WARP_SHUFFLE(xor, shuffle_lanes)
#undef KBUILD_CPU_WARP_SHUFFLE

KBUILD_CPU_CCCL_DEVICE_END

#endif
