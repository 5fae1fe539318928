#include "base.hpp"
#include <cuda_runtime.h>

__device__ int look_up_twice(int index);

static __global__ void count(int* result)
{
    atomicAdd(&counter, 1);
    for (int i = 0; i < steps; i++)
        result[i] = look_up_twice(i);
}

bool run_kernels(int (&values)[steps])
{
    int* result;
    cudaMalloc(&result, sizeof(values));
    count<<<1, 1>>>(result);
    cudaMemcpy(values, result, sizeof(values), cudaMemcpyDeviceToHost);
    return cudaFree(result) == cudaSuccess;
}
