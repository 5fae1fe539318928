/* thrust::cuda::par: algorithms wait for all streams, so that the stream makes no difference. */
#ifndef KBUILD_CPU_CCCL_CUDA_POLICIES_H
#define KBUILD_CPU_CCCL_CUDA_POLICIES_H

#include <thrust/execution_policy.h>

#include <cuda_runtime_api.h>

#pragma GCC system_header

#if !defined(KBUILD_DEVICE_CODE)
THRUST_NAMESPACE_BEGIN
namespace cuda {

struct kbuild_policy : ::std::remove_cv_t<decltype(thrust::device)> {
    constexpr kbuild_policy() = default;
    const auto &on(cudaStream_t) const { return thrust::device; }
};
inline constexpr kbuild_policy par;
inline constexpr kbuild_policy par_nosync;

}  // namespace cuda
THRUST_NAMESPACE_END
#endif

#endif
