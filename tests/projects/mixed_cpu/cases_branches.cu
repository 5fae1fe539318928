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

// The same in kernels with fibers: a call is told apart from others by its place, also in inlined functions.
__device__ __noinline__ int count_far(int* count) { return count_by_group(count); }
struct Queue {
    int* count;
    __device__ int push() { return count_by_mask(count); }
};
struct Counter {
    __device__ virtual int count(int* count) const { return count_far(count); }
};
struct OtherCounter : Counter {
    __device__ int count(int* count) const override { return count_far(count + 1); }
};
__device__ int choose(int* count, int branch)
{
    return branch == 0 ? count_by_mask(count) : branch == 1 ? count_by_mask(count + 1) : count_far(count + 2);
}
__device__ int places[6][3];
__global__ void counts_of_places(int* out)
{
    const int branch = threadIdx.x % 32 % 3;
    switch (branch) {
    case 0: count_by_group(&places[0][0]); break;
    case 1: count_by_group(&places[0][1]); break;
    default: count_by_group(&places[0][2]);
    }
    choose(places[1], branch);
    Queue first{places[2]}, second{places[2] + 1}, third{places[2] + 2};
    if (branch == 0) first.push();
    else if (branch == 1) second.push();
    else third.push();
    if (branch == 0) out[threadIdx.x] = count_far(&places[3][0]);
    else if (branch == 1) out[threadIdx.x] = count_far(&places[3][1]);
    else out[threadIdx.x] = count_far(&places[3][2]);
    Counter one;
    OtherCounter other;
    if (branch == 2) count_far(&places[4][2]);
    else static_cast<const Counter*>(branch == 0 ? &one : &other)->count(places[4]);
    auto count = [&](int* place) { return count_by_mask(place); };
    branch == 0 ? count(&places[5][0]) : branch == 1 ? count(&places[5][1]) : count(&places[5][2]);
}
// Compilers can make two copies of the call, because one of the branches before it decides the one behind it.
__global__ void one_place(int* out)
{
    switch (threadIdx.x) {
    default: __syncthreads();
    }
    int value = threadIdx.x % 2 ? 5 : 7;
    if (threadIdx.x % 4 == 1) value *= out[threadIdx.x] + 3;
    const unsigned mask = __activemask();
    out[threadIdx.x] = mask == ~0u;
    if (value > 100000) out[0] = value;
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
    counts_of_places<<<1, 64>>>(results);
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(results, places, sizeof places);
    check("counts_of_places", 18, [](int i) { return i % 3 == 2 ? 20 : 22; });
    one_place<<<1, 64>>>(results);
    check("one_place", 64, [](int) { return 1; });
    std::puts("done");
}
