/* The tag and the policies of Thrust's CUDA system.  Their algorithms are those of the C++ system, which wait
 * for all kernels, so that the stream of a policy makes no difference. */
#pragma once
#pragma GCC system_header

#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/detail/config.h>
#include <thrust/detail/execution_policy.h>
#include <thrust/detail/seq.h>
#include <thrust/iterator/detail/any_system_tag.h>
#include <thrust/system/cpp/detail/execution_policy.h>
#include <thrust/system/cuda/config.h>
#include <thrust/version.h>

#include <cuda_runtime_api.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

struct tag;
template <class>
struct execution_policy;

template <>
struct execution_policy<tag> : system::cpp::detail::execution_policy<tag> {
    using tag_type = tag;
};
struct tag : execution_policy<tag>,
             thrust::detail::allocator_aware_execution_policy<cuda_cub::execution_policy> {};

template <class __Derived>
struct execution_policy : system::cpp::detail::execution_policy<__Derived> {
    using tag_type = tag;
    constexpr operator tag() const { return {}; }
};

inline cudaStream_t default_stream();  // of util.h

template <class __Derived, bool __waits>
struct kbuild_policy_on_stream : execution_policy<__Derived> {
    kbuild_policy_on_stream(cudaStream_t __stream = default_stream()) : stream(__stream) {}
    __Derived on(cudaStream_t __stream) const {
        __Derived __result = static_cast<const __Derived &>(*this);
        __result.stream = __stream;
        return __result;
    }

private:
    cudaStream_t stream;
    friend cudaStream_t get_stream(const kbuild_policy_on_stream &__policy) {
        return __policy.stream;
    }
    friend bool must_perform_optional_stream_synchronization(const kbuild_policy_on_stream &) {
        return __waits;
    }
};
template <class __Derived>
using execute_on_stream_base = kbuild_policy_on_stream<__Derived, true>;
template <class __Derived>
using execute_on_stream_nosync_base = kbuild_policy_on_stream<__Derived, false>;

struct execute_on_stream : execute_on_stream_base<execute_on_stream> {
    using kbuild_policy_on_stream::kbuild_policy_on_stream;
};
struct execute_on_stream_nosync : execute_on_stream_nosync_base<execute_on_stream_nosync> {
    using kbuild_policy_on_stream::kbuild_policy_on_stream;
};

struct par_t : execution_policy<par_t>,
               thrust::detail::allocator_aware_execution_policy<execute_on_stream_base> {
    using stream_attachment_type = execute_on_stream;
    stream_attachment_type on(cudaStream_t __stream) const { return {__stream}; }
};
struct par_nosync_t
    : execution_policy<par_nosync_t>,
      thrust::detail::allocator_aware_execution_policy<execute_on_stream_nosync_base> {
    using stream_attachment_type = execute_on_stream_nosync;
    stream_attachment_type on(cudaStream_t __stream) const { return {__stream}; }

private:
    friend bool must_perform_optional_stream_synchronization(const par_nosync_t &) { return false; }
};
inline constexpr par_t par;
inline constexpr par_nosync_t par_nosync;

}  // namespace cuda_cub

namespace system {
namespace cuda {
using thrust::cuda_cub::execution_policy;
using thrust::cuda_cub::par;
using thrust::cuda_cub::par_nosync;
using thrust::cuda_cub::tag;
namespace detail {
using thrust::cuda_cub::par_t;
}
}  // namespace cuda
}  // namespace system
namespace cuda {
using thrust::cuda_cub::execution_policy;
using thrust::cuda_cub::par;
using thrust::cuda_cub::par_nosync;
using thrust::cuda_cub::tag;
}  // namespace cuda
THRUST_NAMESPACE_END
