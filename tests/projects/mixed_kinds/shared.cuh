// A device variable and kernels that each source which includes this header defines for itself.
#pragma once
#include <cuda_runtime.h>

static __device__ int counter = VALUE * 100;
static __constant__ int constant = VALUE * 1000;

static __global__ void count(int* out) { out[0] = ++counter + constant; }

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
