#pragma once

// Linkers keep one of all equal inline variables, but each image has its own.
inline __constant__ int inline_number = 5;

__device__ inline int twice(int value) { return 2 * value; }

template <class T>
__global__ void __launch_bounds__(64) fill(T* p, T value) {
    p[threadIdx.x] = twice(value) + inline_number;
}
