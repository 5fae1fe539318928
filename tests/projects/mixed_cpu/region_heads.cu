// Heads of loops around barriers and operations of warps.
#include "region_results.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr int THREADS = 100;
__global__ void merged(int* out)
{
    __shared__ int partial[128];
    const int t = threadIdx.x;
    partial[t] = t;
    __syncthreads();
#pragma unroll 2
    for (int width = 64, other = t + width, third = other * 2 - width; width > 0; width /= 2, other = t + width) {
        if (t < width && other < THREADS)
            partial[t] += partial[other];
        __syncthreads();
        third += other;
        if (width == 1)
            out[t] = third * 10000 + partial[0];
    }
}
__global__ void pointers(int* out)
{
    int sum = 0;
#pragma unroll
    for (int i = 0, *p = &i; i < 3; ++*p) {
        __syncthreads();
        sum += i;
    }
    out[threadIdx.x] = sum;
}
// Each loop names variables of each thread in its body, and its kernel has an atomic function.
__global__ void warp_barriers(int* out)
{
    __shared__ int part[THREADS + 32];
    const int t = threadIdx.x;
    part[t] = t;
    part[t + 32] = t + 32;
    __syncthreads();
    for (int width = 16; width > 0; width >>= 1) {
        const int other = t % 32 < width ? part[t + width] : 0;
        __syncwarp();
        part[t] += other;
        __syncwarp();
    }
    atomicAdd(&out[t / 32], t % 32 == 0 ? part[t] : 0);
}
__global__ void warp_barriers_behind(int* out, int step)
{
    __shared__ int part[THREADS + 32];
    const int t = threadIdx.x;
    part[t] = t;
    part[t + 32] = t + 32;
    __syncthreads();
    int width = 16;
    do {
        const int other = t % 32 < width ? part[t + width] : 0;
        __syncwarp();
        part[t] += other;
        __syncwarp();
        width /= step;
    } while (width > 0);
    atomicAdd(&out[t / 32], t % 32 == 0 ? part[t] : 0);
}
__global__ void tiles(int* out)
{
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int all = threadIdx.x;
    for (int width = 16; width > 0; width /= 2) {
        const int other = tile.shfl_down(all, width);
        if (tile.thread_rank() + width < 32)
            all += other;
    }
    if (tile.thread_rank() == 0)
        atomicAdd(&out[threadIdx.x / 32], all);
}
// Loops that wait for memory by operators that change their variables.
struct Flag {
    int* place;
};
__device__ int operator+(int& i, const Flag& flag) { return atomicAdd(flag.place, 0) == 0 ? 0 : (i = THREADS, 0); }
__device__ int& operator+=(int& i, const Flag& flag) { return i = atomicAdd(flag.place, 0) == 0 ? i : THREADS; }
__global__ void waits_in_body(int* out)
{
    const Flag flag{out + THREADS};
    int sum = 0, i = threadIdx.x < 32 ? THREADS : 0;
    while (i < THREADS) {
        sum += i + flag;
        __syncwarp();
        i += 0;
    }
    atomicExch(flag.place, 1);
    out[threadIdx.x] = sum + 1;
}
__global__ void waits_in_step(int* out)
{
    const Flag flag{out + THREADS};
    for (int i = threadIdx.x < 32 ? THREADS : 0; i < THREADS; i += flag)
        __syncwarp();
    atomicExch(flag.place, 1);
    out[threadIdx.x] = 2;
}
// Heads whose conditions are the same for all threads, but not all that they declare or change.
__global__ void mixed(int* out)
{
    __shared__ int part[128];
    const int t = threadIdx.x;
    int turns = 0, i = 0;
    part[t] = t;
    __syncthreads();
    for (int w = 1, other = t ^ w; w < 4; other = t ^ (w * 2), w *= 2, ++turns) {
        const int x = part[other];
        __syncthreads();
        part[t] = x + turns;
        __syncthreads();
    }
    for (int w = t;; w += 3, ++turns) {
        __syncthreads();
        if (turns > 5)
            break;
        part[t] += w % 2;
    }
    for (i = t / 32, turns = 0; turns < 6; turns++, i += 2) {
        if (i < 4)
            continue;
        __syncwarp();
        part[t] += 100 * i;
    }
    for (int w = 0, own = t / 32 * 32; w < 5; ++w, own -= 10) {
        __syncwarp();
        if (own < 20)
            break;
        part[t] += 10000 * w;
    }
    out[t] = part[t];
}
// The parameter of a template could be a number, but it has a comma of its own.
struct Tally {
    int count;
    __device__ Tally(int value) : count(value) {}
};
__device__ Tally& operator,(int& width, Tally& tally) 
{
    width = 0;
    return tally;
}
template <class Real> __global__ void own_commas(int* out)
{
    int turns = 0;
    for (int width = 8, other = threadIdx.x; width > 0; width /= 2, other += 1) {
        __syncthreads();
        turns += other;
    }
    Real tally = threadIdx.x;
    for (int width = 8; width > 0; width /= 2, tally = width) {
        __syncthreads();
        ++turns;
    }
    out[threadIdx.x] = turns;
}
int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    merged<<<1, THREADS>>>(results);
    check("merged", THREADS, [](int i) { return (2 * (i + 64) - 64 + 7 * i + 127) * 10000 + 4950; });
    pointers<<<1, THREADS>>>(results);
    check("pointers", THREADS, [](int) { return 3; });
    const auto sums = [](int i) { return 32 * 32 * i + 496; };
    warp_barriers<<<1, THREADS - 4>>>(results);
    check("warp_barriers", 3, sums);
    warp_barriers_behind<<<1, THREADS - 4>>>(results, 2);
    check("warp_barriers_behind", 3, sums);
    tiles<<<1, 96>>>(results);
    check("tiles", 3, sums);
    waits_in_body<<<1, THREADS>>>(results);
    check("waits_in_body", THREADS, [](int) { return 1; });
    waits_in_step<<<1, THREADS>>>(results);
    check("waits_in_step", THREADS, [](int) { return 2; });
    mixed<<<1, 128>>>(results);
    check("mixed", 128, [](int t) {
        int sum = (t ^ 3) + 1;
        for (int turns = 2, w = t; turns < 6; ++turns, w += 3)
            sum += w % 2;
        for (int turns = 0, i = t / 32; turns < 6; ++turns, i += 2)
            sum += i < 4 ? 0 : 100 * i;
        for (int w = 0, own = t / 32 * 32; w < 5 && own >= 20; ++w, own -= 10)
            sum += 10000 * w;
        return sum;
    });
    own_commas<Tally><<<1, THREADS>>>(results);
    check("own_commas", THREADS, [](int t) { return 4 * t + 6 + 1; });
    std::printf("done\n");
}
