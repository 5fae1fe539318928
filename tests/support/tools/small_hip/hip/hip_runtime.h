// What kernels and launches of tests need from HIP's header of this name, which takes two seconds to compile.
#pragma once
#include <stddef.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __managed__ __attribute__((managed))
#define __shared__ __attribute__((shared))
#define __syncthreads __builtin_amdgcn_s_barrier

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#define threadIdx \
    (dim3(__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), \
          __builtin_amdgcn_workitem_id_z()))

#define blockIdx \
    (dim3(__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), \
          __builtin_amdgcn_workgroup_id_z()))
#define blockDim \
    (dim3(__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), \
          __builtin_amdgcn_workgroup_size_z()))

struct float4 {
    float x, y, z, w;
};
constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

// clang calls these functions where a source launches a kernel, and in the stubs of kernels.
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, size_t, struct ihipStream_t*);
extern "C" int __hipPushCallConfiguration(dim3, dim3, size_t = 0, struct ihipStream_t* = nullptr);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, size_t*, struct ihipStream_t**);
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
    kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
