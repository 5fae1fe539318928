#include "shared.hpp"

extern __device__ int total;
extern __constant__ int step;
__device__ int twice(int value);

// Both sources have a static kernel of this name.
static __global__ void own(int* out) { *out = 1; }

template __global__ void apply<Scale>(Scale, int*);

__global__ void first(int* out)
{
    out[threadIdx.x] = twice(threadIdx.x) + total + step;
}
