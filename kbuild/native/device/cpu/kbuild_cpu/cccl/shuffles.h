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
    constexpr int __count = (sizeof(__T) + 7) / 8;
    unsigned long long __words[__count] = {};
    warp_shuffle_result<::cuda::std::remove_cv_t<__T>> __result{__value, !__from.__is_own};
    memcpy(__words, static_cast<const void *>(&__value), sizeof(__T));
    for (int __i = 0; __i < __count; ++__i)
        __words[__i] = ::kbuild_cpu::shuffle_value(kbuild_cpu_call{"warp_shuffle", nullptr, 0, 32}, __mask,
                                                   __words[__i], __from);
    memcpy(static_cast<void *>(&__result.data), __words, sizeof(__T));
    return __result;
}

#define KBUILD_CPU_WARP_SHUFFLE(name, function)                                                            \
    template <int __width = 32, class __T>                                                                 \
    [[nodiscard]] auto warp_shuffle_##name(const __T &__value, int __from,                                 \
                                           unsigned int __mask = 0xFFFFFFFF,                               \
                                           ::cuda::std::integral_constant<int, __width> = {}) {            \
        const auto __source =                                                                              \
            ::kbuild_cpu::function(static_cast<int>(::kbuild_cpu::ptx::lane()), __from, __width);          \
        return ::cuda::device::kbuild_shuffle<__width>(__value, __source, __mask);                         \
    }                                                                                                      \
    template <int __width, class __T>                                                                      \
    [[nodiscard]] auto warp_shuffle_##name(const __T &__value, int __from,                                 \
                                           ::cuda::std::integral_constant<int, __width> __constant) {      \
        return ::cuda::device::warp_shuffle_##name(__value, __from, 0xFFFFFFFF, __constant);               \
    }
KBUILD_CPU_WARP_SHUFFLE(idx, shuffle_index)
KBUILD_CPU_WARP_SHUFFLE(up, shuffle_up)
KBUILD_CPU_WARP_SHUFFLE(down, shuffle_down)
KBUILD_CPU_WARP_SHUFFLE(xor, shuffle_lanes)
#undef KBUILD_CPU_WARP_SHUFFLE

KBUILD_CPU_CCCL_DEVICE_END

#endif
