// Declarations of both sources.
#pragma once
#include <cuda_runtime.h>

// Each source has its own variables.
__device__ int number_in_header = 40;
namespace in_header {
__constant__ const char* words[] = {"a", "b"};
}
static __global__ void read_header(int* p) {
    p[0] = number_in_header;
    p[1] = in_header::words[1][0];
}

// Linkers keep one of all equal inline variables.
struct Tag {
    constexpr Tag(int number = 3) : value(number) {}
    int value;
};
inline constexpr __device__ Tag inline_tag{4};
inline __device__ int inline_number = 5;
#ifdef __CUDA_ARCH__ // as in CCCL
static const __device__ Tag separate_tag;
#else
inline constexpr Tag separate_tag;
#endif
static __global__ void read_inline(int* p) {
    *p = inline_tag.value * 100 + separate_tag.value * 10 + inline_number;
}

void change_variables_of_second();
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
