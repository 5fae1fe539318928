/* thrust::malloc and thrust::free, and those of thrust::device_malloc. */
#pragma once
#pragma GCC system_header

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include "../../../../kbuild_cpu/cccl/device_memory.h"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

template <class __Policy>
void *malloc(execution_policy<__Policy> &, ::std::size_t __bytes) {
    return ::kbuild_cpu::allocate_device(__bytes);
}
template <class __Policy, class __Pointer>
void free(execution_policy<__Policy> &, __Pointer __pointer) {
    ::kbuild_cpu::free_device(thrust::raw_pointer_cast(__pointer));
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END
