// Declarations of both sources.
#pragma once
#include <cuda_runtime.h>

int add_in_host_library(int x);
int launch_from_second();
extern bool is_second_built;

template <class T>
__global__ void shared_template(T* p) {
    *p = 16;
}
static __global__ void kernel_in_header(int* p) { *p = 15; }
inline __host__ __device__ int add_one(int x) {
#ifdef __CUDA_ARCH__
    return x + 1001;
#else
    return x + 1;
#endif
}
