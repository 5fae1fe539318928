/* CUB's stores with an order, which are PTX. */
#pragma once
#pragma GCC system_header
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../../kbuild_cpu/atomics/access.h"
#define store_relaxed kbuild_store_relaxed
#define store_release kbuild_store_release
#include_next <cub/detail/strong_store.cuh>
#undef store_relaxed
#undef store_release

CUB_NAMESPACE_BEGIN
namespace detail {

template <class __T>
void store_relaxed(__T *__place, __T __value) {
    ::kbuild_cpu::atomic_store(__place, __value, __ATOMIC_RELAXED);
}
template <class __T>
void store_release(__T *__place, __T __value) {
    ::kbuild_cpu::atomic_store(__place, __value, __ATOMIC_RELEASE);
}

}  // namespace detail
CUB_NAMESPACE_END
#else
#include_next <cub/detail/strong_store.cuh>
#endif
