// What both sources contain: a variable that is declared as CCCL declares its own, with one host variable
// for all sources and a device variable in each of them, and functions that copy and read it.
#pragma once
#include <cuda_runtime.h>

struct Number {
    __host__ __device__ constexpr Number(int value = 3) : value(value) {}
    int value;
};
#ifdef __CUDA_ARCH__
static __device__ Number number;
#else
inline constexpr Number number;
#endif

namespace {

__global__ void read(int* out) { *out = *reinterpret_cast<const volatile int*>(&number.value); }

int copy_number(int value) { return cudaMemcpyToSymbol(number, &value, sizeof value); }

int read_number() {
    int result = -1, *device = nullptr;
    cudaMalloc(&device, sizeof *device);
    read<<<1, 1>>>(device);
    cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return result;
}

}  // namespace
