// Declarations for a device link.
#pragma once
#include <cuda_runtime.h>

__device__ int add_shared(int x);
extern __device__ int shared_value;
extern __managed__ int counter;
inline __device__ int inline_value = 6;
void launch_second(int* p);
