#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#ifndef __CUDA_NO_HALF_OPERATORS__
#error "torch's own options of nvcc are missing"
#endif

namespace {

template <typename T>
__global__ void scale(const T* input, T* output, long count) {
    const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
    if (i < count) output[i] = input[i] * static_cast<T>(EXTENSION_FACTOR) + static_cast<T>(EXTENSION_OFFSET);
}

}  // namespace

at::Tensor scale_cuda(const at::Tensor& input) {
    TORCH_CHECK(input.is_cuda(), "expected a tensor on a GPU");
    const at::Tensor source = input.contiguous();
    at::Tensor output = at::empty_like(source);
    const long count = source.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(source.scalar_type(), "scale_cuda", [&] {
        scale<scalar_t><<<(count + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            source.const_data_ptr<scalar_t>(), output.mutable_data_ptr<scalar_t>(), count);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return output;
}
