// Both branches of a condition call an operation with the mask of the whole warp, which CUDA allows.
#include "region_results.h"

#include <cooperative_groups.h>

__global__ void both_branches(int* out)
{
    __shared__ int values[64];
    const int thread = threadIdx.x, lane = thread & 31;
    if (lane < 16) {
        values[thread] = thread;
        __syncwarp();
        out[thread] = values[thread ^ 16];
    } else {
        values[thread] = thread * 2;
        __syncwarp();
        out[thread] = values[thread ^ 16];
    }
}

// The second warp has lanes of both rows.
__global__ void branches_of_rows(int* out)
{
    __shared__ int values[96];
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    values[thread] = thread;
    if (threadIdx.x < 32) {
        __syncwarp();
        out[thread] = values[thread ^ 1];
    } else {
        __syncwarp();
        out[thread] = values[thread ^ 1] * 2;
    }
}

// A half of a warp, and two spellings of one mask.
#define WARP 32
__global__ void branches_of_halves(int* out)
{
    __shared__ int values[64];
    const unsigned every = 0xffffffff;
    int x = threadIdx.x;
    values[x] = x;
    if (threadIdx.x < WARP / 2) {
        __syncwarp();
        x = values[x ^ 16];
    } else {
        __syncwarp();
    }
    if (threadIdx.x & 1)
        x = __shfl_xor_sync(every, x, 1);
    else
        x = __shfl_xor_sync(0xffffffff, x, 1);
    out[threadIdx.x] = x;
}

// The lanes of each call count together, and no lane of the other branch.
__device__ int counts[6];
__device__ int count_by_mask(int* count)
{
    unsigned mask = __activemask();
    int lane = threadIdx.x & 31, leader = __ffs(mask) - 1, before = 0;
    if (lane == leader)
        before = atomicAdd(count, __popc(mask));
    before = __shfl_sync(mask, before, leader);
    return before + __popc(mask & ((1u << lane) - 1));
}
__device__ int count_by_group(int* count)
{
    auto group = cooperative_groups::coalesced_threads();
    int before = 0;
    if (group.thread_rank() == 0)
        before = atomicAdd(count, int(group.size()));
    return group.thread_rank() + group.shfl(before, 0);
}
__global__ void counts_of_branches(int*)
{
    if (threadIdx.x % 3)
        count_by_mask(&counts[0]);
    else
        count_by_mask(&counts[1]);
    if (threadIdx.x % 3)
        count_by_group(&counts[2]);
    else
        count_by_group(&counts[3]);
    if (threadIdx.x % 3) {
        unsigned mask = __activemask();
        if (__ffs(mask) - 1 == (threadIdx.x & 31))
            atomicAdd(&counts[4], __popc(mask));
        __syncwarp(mask);
        return;
    }
    unsigned mask = __activemask();
    if (__ffs(mask) - 1 == (threadIdx.x & 31))
        atomicAdd(&counts[5], __popc(mask));
    __syncwarp(mask);
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    both_branches<<<1, 64>>>(results);
    check("both_branches", 64, [](int i) { return (i ^ 16) * (i & 16 ? 1 : 2); });
    branches_of_halves<<<1, 64>>>(results);
    check("branches_of_halves", 64, [](int i) { return i < 16 ? i ^ 17 : i ^ 1; });
    branches_of_rows<<<1, dim3(48, 2)>>>(results);
    check("branches_of_rows", 96, [](int i) { return (i ^ 1) * (i % 48 < 32 ? 1 : 2); });
    counts_of_branches<<<1, 64>>>(results);
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(results, counts, sizeof counts);
    check("counts_of_branches", 6, [](int i) { return i % 2 ? 22 : 42; });
    std::puts("done");
}
