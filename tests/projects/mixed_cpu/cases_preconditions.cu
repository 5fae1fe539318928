// Each kernel is wrong without a precondition of "Edits of kernels on the CPU" that the other programs do not need.
#include "region_results.h"

__device__ int number = 7;
__global__ void memory(int* out)
{
    int x = number + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        number = 99;
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void hidden_constant(int* out)
{
    constexpr int count = 3;
    int x = threadIdx.x * count;
    {
        constexpr int count = 5;
        __syncthreads();
        out[threadIdx.x] = x + count;
        __syncthreads();
    }
}
__global__ void address(int* out)
{
    int x = threadIdx.x, *place = &x;
    __syncthreads();
    *place += 3;
    __syncthreads();
    out[threadIdx.x] = *place;
}
__global__ void some_threads_assign(int* out)
{
    int x = 3;
    if (threadIdx.x & 1) {
        x = 8;
        __syncwarp(0xaaaaaaaa);
    }
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void changed_since(int* out)
{
    int base = 3;
    int x = threadIdx.x + base;
    base = 50;
    __syncthreads();
    out[threadIdx.x] = x + base;
}
__global__ void own_limits(int* out)
{
    __shared__ int limits[64];
    limits[threadIdx.x] = threadIdx.x & 1 ? 64 : 0;
    __syncthreads();
    int limit = limits[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < limit)
        out[threadIdx.x] = 1;
    __syncthreads();
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    memory<<<1, 64>>>(results);
    check("memory", 64, [](int i) { return i + 7; });
    hidden_constant<<<1, 64>>>(results);
    check("hidden_constant", 64, [](int i) { return 3 * i + 5; });
    address<<<1, 64>>>(results);
    check("address", 64, [](int i) { return i + 3; });
    some_threads_assign<<<1, 64>>>(results);
    check("some_threads_assign", 64, [](int i) { return i & 1 ? 8 : 3; });
    changed_since<<<1, 64>>>(results);
    check("changed_since", 64, [](int i) { return i + 53; });
    own_limits<<<1, 64>>>(results);
    check("own_limits", 64, [](int i) { return i & 1; });
    std::puts("done");
}
