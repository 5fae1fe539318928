#include "shared.hpp"

__device__ int total = 100;
__constant__ int step = 1000;
static __device__ int calls_own = 7;

__device__ int twice(int value)
{
    return 2 * value;
}

static __global__ void own(int* out) { *out = 2 + calls_own; }

template __global__ void apply<Scale>(Scale, int*);

__global__ void second(int* out)
{
    *out = ++total;
}
