#include "base.hpp"
#include <cuda_runtime.h>

__device__ int counter = 100;

__device__ int look_up(int index)
{
    return table[index % steps];
}

// The same name in another source: both are local.
static __global__ void count(int times)
{
    atomicAdd(&counter, times);
}

int count_in_base(int times)
{
    count<<<1, 1>>>(times);
    int value = -1;
    cudaMemcpyFromSymbol(&value, counter, sizeof(value));
    return value;
}
