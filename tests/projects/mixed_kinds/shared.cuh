// A device variable and kernels that each source which includes this header defines for itself.
#pragma once
#include <cuda_runtime.h>

static __device__ int counter = VALUE * 100;
static __constant__ int constant = VALUE * 1000;

// As in CCCL: linkers keep one of all equal inline variables.
struct Tag {
    constexpr Tag(int number = 0) : value(number) {}
    int value;
};
#ifdef __CUDA_ARCH__
static const __device__ Tag tag;
#else
inline constexpr Tag tag;
#endif

static __global__ void count(int* out) { out[0] = ++counter + constant + tag.value; }

template <class T>
__global__ void fill(T* out) { out[0] = VALUE; }

inline int read(const int* device) {
    int value = -1;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

template <class... T>
int run(void (*kernel)(T...)) {
    int* device = nullptr;
    cudaMalloc(&device, sizeof *device);
    kernel<<<1, 1>>>(device);
    const int value = read(device);
    cudaFree(device);
    return value;
}
