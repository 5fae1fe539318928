/* CUB's loads with an order, which are PTX. */
#pragma once
#pragma GCC system_header
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../../kbuild_cpu/atomics/access.h"
#define load_acquire kbuild_load_acquire
#define load_relaxed kbuild_load_relaxed
#include_next <cub/detail/strong_load.cuh>
#undef load_acquire
#undef load_relaxed

CUB_NAMESPACE_BEGIN
namespace detail {

template <class __T>
__T load_relaxed(const __T *__place) {
    ::kbuild_cpu::may_wait();
    return ::kbuild_cpu::atomic_load(__place, __ATOMIC_RELAXED);
}
template <class __T>
__T load_acquire(const __T *__place) {
    ::kbuild_cpu::may_wait();
    return ::kbuild_cpu::atomic_load(__place, __ATOMIC_ACQUIRE);
}

}  // namespace detail
CUB_NAMESPACE_END
#else
#include_next <cub/detail/strong_load.cuh>
#endif
