// What kernels and launches of tests need from CUDA's header of this name, which takes a second to compile.
#pragma once
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#include "crt/host_defines.h"
#include "builtin_types.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"

extern "C" __device__ __device_builtin__ void __syncthreads();

// nvcc calls these functions where a source launches a kernel, and in the stubs of kernels.
extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, struct CUstream_st* = nullptr);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
void exit(int) noexcept;  // in place of the bodies of device functions
}
static inline cudaError_t __cudaLaunchKernel_helper(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                    void** arguments, size_t shared,
                                                    cudaStream_t stream) {
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
