// Loops in which a warp, or a block, waits for another one. Each kernel checks its own result, and main prints the
// wrong ones. Kernels whose warps wait for each other have fibers.
#include "region_results.h"

constexpr int THREADS = 96;
constexpr unsigned ALL = ~0u;

// The last warp sets a flag, for which the others wait.
__global__ void poll_a_flag(int* out)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 64)
        while (!__all_sync(ALL, flag != 0)) {
        }
    else
        flag = 1;
    out[threadIdx.x] = flag;
}
__global__ void poll_by_cast(int* out)
{
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 64)
        do {
        } while (__any_sync(ALL, *(volatile int*)&flag == 0));
    else if (threadIdx.x == 64)
        *(volatile int*)&flag = 2;
    __syncthreads();
    out[threadIdx.x] = flag;
}
typedef volatile int polled;
__global__ void poll_an_alias(int* out)
{
    __shared__ int flag;
    polled* const seen = &flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 64)
        for (int tries = 0; __any_sync(ALL, *seen == 0); ++tries) {
        }
    else
        *seen = 3;
    __syncthreads();
    out[threadIdx.x] = flag;
}
__device__ int load(const int* p) { return *static_cast<const volatile int*>(p); }
__global__ void poll_by_function(int* out)
{
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 64) {
        for (;;) {
            const int seen = load(&flag);
            if (__all_sync(ALL, seen))
                break;
        }
    } else if (threadIdx.x == 64)
        *(volatile int*)&flag = 4;
    __syncthreads();
    out[threadIdx.x] = flag;
}
using flag_of_all = const volatile int;
__global__ void poll_a_reference(int* out)
{
    __shared__ int flag;
    flag_of_all& seen = flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 64)
        while (__any_sync(ALL, seen == 0)) {
        }
    else
        const_cast<volatile int&>(seen) = 6;
    __syncthreads();
    out[threadIdx.x] = flag;
}
__global__ void poll_by_atomics(int* out)
{
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 64) {
        int seen = 0;
        for (int i = 0; __all_sync(ALL, seen == 0); i += seen)
            seen = atomicAdd(&flag, 0);
    } else
        atomicExch(&flag, 5);
    __syncthreads();
    out[threadIdx.x] = flag;
}

// Loops with the same calls in which no thread waits. They have regions.
__global__ void count(int* out, int n)
{
    __shared__ volatile int values[THREADS];
    __shared__ int taken;
    if (threadIdx.x == 0)
        taken = 0;
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += __shfl_sync(ALL, values[threadIdx.x], i);
        int place = 0;
        if (threadIdx.x % 32 == i)
            place = atomicAdd(&taken, 1);
        sum += 0 * __shfl_sync(ALL, place, i);
    }
    for (int i = n; i > 0; i /= 2)
        sum += atomicAdd(&taken, 0) < 0;
    __syncthreads();
    out[threadIdx.x] = 1000 * taken + sum;
}

// All blocks wait until the last one has started. The loop has a barrier, so that every thread takes part.
__device__ int started;
__global__ void wait_for_blocks(int* out)
{
    __shared__ int seen;
    if (threadIdx.x == 0) {
        atomicAdd(&started, 1);
        seen = 0;
    }
    __syncthreads();
    while (seen < int(gridDim.x)) {
        __syncthreads();
        if (threadIdx.x == 0)
            seen = atomicAdd(&started, 0);
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
// Each block waits for the one before it.
__device__ volatile int sums[8];
__global__ void look_back(int* out)
{
    __shared__ int before;
    if (threadIdx.x < 32) {
        int sum = 1;
        if (blockIdx.x > 0)
            do {
                sum = sums[blockIdx.x - 1];
                __threadfence();
            } while (__any_sync(ALL, sum == 0));
        if (threadIdx.x == 0) {
            before = sum;
            sums[blockIdx.x] = sum + 2;
        }
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = before;
}

int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    poll_a_flag<<<1, THREADS>>>(results);
    check("poll_a_flag", THREADS, [](int) { return 1; });
    poll_by_cast<<<1, THREADS>>>(results);
    check("poll_by_cast", THREADS, [](int) { return 2; });
    poll_an_alias<<<1, THREADS>>>(results);
    check("poll_an_alias", THREADS, [](int) { return 3; });
    poll_by_function<<<1, THREADS>>>(results);
    check("poll_by_function", THREADS, [](int) { return 4; });
    poll_a_reference<<<1, THREADS>>>(results);
    check("poll_a_reference", THREADS, [](int) { return 6; });
    poll_by_atomics<<<1, THREADS>>>(results);
    check("poll_by_atomics", THREADS, [](int) { return 5; });
    count<<<1, THREADS>>>(results, 5);
    check("count", THREADS, [](int i) { return 15000 + 5 * (i / 32 * 32) + 10; });
    wait_for_blocks<<<8, 64>>>(results);
    check("wait_for_blocks", 512, [](int) { return 8; });
    look_back<<<8, 64>>>(results);
    check("look_back", 512, [](int i) { return 1 + 2 * (i / 64); });
    std::printf("done\n");
}
