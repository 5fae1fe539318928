#pragma once

__device__ inline int twice(int value) { return 2 * value; }

template <class T>
__global__ void __launch_bounds__(64) fill(T* p, T value) {
    p[threadIdx.x] = twice(value);
}
