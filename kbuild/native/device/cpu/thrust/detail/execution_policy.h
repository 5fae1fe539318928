/* The header through which every algorithm of Thrust goes.  On the CPU, algorithms are host code, and
 * wait for the kernels that can write their input.  Those that run in one thread (thrust::seq) do not. */
#pragma once
#pragma GCC system_header

#define derived_cast kbuild_derived_cast
#include_next <thrust/detail/execution_policy.h>
#undef derived_cast

#include "../../kbuild_cpu/cccl/device_memory.h"

THRUST_NAMESPACE_BEGIN
namespace detail {

struct seq_t;

template <class __Policy>
constexpr void kbuild_wait() {
    if (!::std::is_same_v<__Policy, seq_t> && !__builtin_is_constant_evaluated())
        ::kbuild_cpu::wait_for_device();
}
template <class __Policy>
constexpr __Policy &derived_cast(execution_policy_base<__Policy> &__policy) {
    kbuild_wait<__Policy>();
    return static_cast<__Policy &>(__policy);
}
template <class __Policy>
constexpr const __Policy &derived_cast(const execution_policy_base<__Policy> &__policy) {
    kbuild_wait<__Policy>();
    return static_cast<const __Policy &>(__policy);
}

}  // namespace detail
THRUST_NAMESPACE_END

/* Thrust's CUDA system also includes these headers, and sources rely on it. */
#include <thrust/system_error.h>
#include <thrust/tuple.h>
#include <cuda/std/span>
