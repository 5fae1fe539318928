#include "base.hpp"
#include <cuda_runtime.h>

#include <cstdio>

__device__ int from_archive(int index);
extern __device__ int in_object;
__global__ void in_archive(int* result);
int add_in_object(int value);

__global__ void look_up_all(int* result)
{
    atomicAdd(&counter, 1);
    for (int i = 0; i < steps; i++)
        result[i] = look_up(i) + from_archive(i) + in_object;
}

int main()
{
    int* result;
    cudaMallocManaged(&result, steps * sizeof(int));
    look_up_all<<<1, 1>>>(result);
    cudaDeviceSynchronize();
    bool passed = result[0] == 1 + 100 + 1000 && result[3] == 4 + 103 + 1000;
    // The program and the installed library use one variable.
    passed = passed && count_in_base(10) == 111;
    set_table({5, 6, 7, 8});
    passed = passed && add_in_object(1) == 1001;
    look_up_all<<<1, 1>>>(result);
    cudaDeviceSynchronize();
    passed = passed && result[3] == 8 + 103 + 1001;
    in_archive<<<1, 1>>>(result);
    cudaDeviceSynchronize();
    passed = passed && result[0] == 42;
    std::puts(passed ? "PASSED" : "FAILED");
    return passed ? 0 : 1;
}
