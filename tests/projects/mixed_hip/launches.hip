#include <hip/hip_runtime.h>
#include "shared.h"

#define LAUNCH(kernel, grid, ...) kernel<<<grid, 1>>>(__VA_ARGS__)

__device__ int counter = 3;
static __device__ int own_counter;
__constant__ float weights[4] = {1, 2, 3, 4};
__managed__ int managed = 42;

namespace ns {
__device__ double scale_factor;

__global__ void scale(float* p, float factor, int n = 9) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= factor * weights[i % 4] + counter + own_counter + scale_factor + managed;
}
}  // namespace ns

namespace {
__global__ void hidden(int* p) { *p = 1; }
}  // namespace

static __global__ void same_name(int* p) { *p = 1; }

__global__ __attribute__((amdgpu_flat_work_group_size(1, 32))) void limited(int* p) { *p = 3; }

extern "C" __global__ void c_kernel(int* p) { *p = 4; }

template <class F>
__global__ void call(F f, int* p) {
    *p = f(threadIdx.x);
}

__device__ int count(int value) { return atomicAdd(&counter, value) + __builtin_amdgcn_workitem_id_x(); }

template <class T>
static void run_template(T* p) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(fill<T>), dim3(3), dim3(2), 16, 0, p, T(5));
}

void run() {
    float* f = nullptr;
    int* p = nullptr;
    int value = 7;
    (void)hipMemcpyToSymbol(HIP_SYMBOL(counter), &value, sizeof value);
#if !defined(LINKED)  // for a device link, clang gives the variable two names
    (void)hipMemcpyToSymbol(HIP_SYMBOL(own_counter), &value, sizeof value);
#endif
    ns::scale<<<dim3(1, 2, 3), 64, 32>>>(f, 2);
    run_template(f);
    LAUNCH(fill, 4, p, 8);
    hipLaunchKernelGGL(hidden, 5, 1, 0, 0, p);
    same_name<<<1, 1>>>(p);
    limited<<<1, 1>>>(p);
    void* arguments[] = {&p};
    (void)hipLaunchKernel(reinterpret_cast<const void*>(c_kernel), dim3(8), dim3(1), arguments, 0, 0);
    const auto lambda = [=] __device__(int i) { return count(i) + value; };
    call<<<2, 1>>>(lambda, p);
    void (*pointer)(int*) = hidden;
    pointer<<<9, 1>>>(p);
    int count_of_devices = 0;
    if (hipGetDeviceCount(&count_of_devices) == hipSuccess && count_of_devices > 0)
        managed += 1;
}
