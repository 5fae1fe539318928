// Kernels that are divided into regions. Each one checks its own result, and main prints the wrong ones.
#include "region_results.h"
#include <cooperative_groups.h>
#include <cstdlib>

namespace cg = cooperative_groups;

constexpr int THREADS = 96;

__global__ void early_return(int n, int* out)
{
    __shared__ int part[THREADS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    part[threadIdx.x] = i;
    __syncthreads();
    const int last = min(THREADS, n - int(blockIdx.x * blockDim.x)) - 1;
    out[i] = part[last - threadIdx.x];
}

__global__ void loop_with_jumps(int n, int* out)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    int own = 0;
    for (int i = 0; i < *(&n); ++i) {
        if (total % 3 == 1) {
            __syncthreads();
            own += 100;
            if (threadIdx.x == 5)
                total += 1;
            __syncthreads();
            continue;
        }
        __syncthreads();
        if (total > 6)
            break;
        __syncthreads();
        if (threadIdx.x == 7)
            total += 2;
        __syncthreads();
        own += total;
    }
    out[threadIdx.x] = own;
}

__global__ void changes_parameters(int n, int* out)
{
    n += threadIdx.x;
    out += threadIdx.x;
    __syncthreads();
    *out = n;
}

__global__ void keeps_arrays(int* out)
{
    int own[3] = {int(threadIdx.x), 2, 3};
    auto* second = &own[1];
    auto sum = own[0] * 2L;
    __syncthreads();
    *second += own[0];
    sum += own[1];
    __syncthreads();
    out[threadIdx.x] = static_cast<int>(sum) + own[2];
}

// The pointer is used behind the barrier, and what it points to only in front of it.
__global__ void keeps_targets(int* out)
{
    int own[2] = {int(threadIdx.x), 1};
    int* first = own;
    int value = 5;
    int* second = &value;
    first[1] += threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = first[1] + *second;
}

__global__ void do_loop(int* out)
{
    __shared__ int part[THREADS];
    part[threadIdx.x] = threadIdx.x;
    int turns = 0;
    do {
        __syncthreads();
        const int next = part[(threadIdx.x + 1) % THREADS];
        __syncthreads();
        part[threadIdx.x] = next;
    } while (++turns < 4);
    out[threadIdx.x] = part[threadIdx.x];
}

__global__ void votes(int* out)
{
    const int odd = __syncthreads_count(threadIdx.x & 1);
    int own = 0;
    if (__any_sync(0xffffffff, threadIdx.x == 40))
        own = __ballot_sync(0xffffffff, threadIdx.x % 32 < 3);
    if (threadIdx.x < 32)
        own += __shfl_xor_sync(0xffffffff, int(threadIdx.x), 16) + __shfl_up_sync(0xffffffff, 1, 1);
    out[threadIdx.x] = odd * 1000 + own;
}

__global__ void part_of_a_warp(int* out)
{
    int own = -1;
    if (threadIdx.x < 16)
        own = __shfl_down_sync(0xffff, int(threadIdx.x), 1, 16);
    out[threadIdx.x] = own;
}

__global__ void of_a_group(int* out)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ int part[THREADS];
    const unsigned own = block.thread_rank();
    part[own] = own;
    cg::sync(block);
    for (unsigned s = block.size() / 2; s > 2; s /= 2) {
        if (own < s)
            part[own] += part[own + s];
        block.sync();
    }
    if (own == 0)
        out[blockIdx.x] = part[0] + part[1] + part[2];
}

template <class T, int N> __global__ void __launch_bounds__(N) of_types(T* out)
{
    __shared__ T part[N];
    part[threadIdx.x] = T(threadIdx.x) / 2;
    __syncthreads();
    out[threadIdx.x] = part[N - 1 - threadIdx.x];
}

// The guess that `index` is the same for all threads does not compile.
__device__ void increase(int& value)
{
    value += 1;
}
__global__ void wrong_guess(int* out)
{
    int index = blockIdx.x;
    __syncthreads();
    increase(index);
    __syncthreads();
    out[threadIdx.x] = index;
}

template <class... Types> __device__ void add_to_each(int by, Types&... values) { ((values += by), ...); }
template <class... Types> __global__ void packs(int* out, Types... values)
{
    add_to_each(threadIdx.x, values...);
    __syncthreads();
    out[threadIdx.x] = (values + ...);
}

// The index of the thread in the grid needs 32 bits.
__global__ void large_grid(unsigned* out)
{
    __shared__ unsigned part[1024];
    if (blockIdx.x < gridDim.x - 1)
        return;
    part[threadIdx.x] = blockIdx.x;
    __syncthreads();
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned* const first = out - static_cast<size_t>(blockIdx.x) * blockDim.x;
    if (threadIdx.x < 512)
        first[index] = part[1023 - threadIdx.x] + (index >> 10 == blockIdx.x) + threadIdx.x;
}

__global__ void atomics(int* out)
{
    __shared__ int counts[8];
    if (threadIdx.x < 8)
        counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[threadIdx.x % 5], 1);
    atomicMax(&counts[7], int(threadIdx.x));
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    check("start", 0, [](int) { return 0; });
    early_return<<<3, THREADS>>>(200, results);
    check("early_return", 200, [](int i) {
        const int first = i / THREADS * THREADS, count = first + THREADS <= 200 ? THREADS : 200 - first;
        return first + count - 1 - (i - first);
    });
    loop_with_jumps<<<1, THREADS>>>(9, results);
    check("loop_with_jumps", THREADS, [](int) {
        int total = 0, own = 0;
        for (int i = 0; i < 9; ++i) {
            if (total % 3 == 1) {
                own += 100;
                total += 1;
                continue;
            }
            if (total > 6)
                break;
            total += 2;
            own += total;
        }
        return own;
    });
    changes_parameters<<<1, THREADS>>>(7, results);
    check("changes_parameters", THREADS, [](int i) { return 7 + i; });
    keeps_arrays<<<1, THREADS>>>(results);
    check("keeps_arrays", THREADS, [](int i) { return 2 * i + 2 + i + 3; });
    keeps_targets<<<1, THREADS>>>(results);
    check("keeps_targets", THREADS, [](int i) { return 1 + i + 5; });
    do_loop<<<1, THREADS>>>(results);
    check("do_loop", THREADS, [](int i) { return (i + 4) % THREADS; });
    votes<<<1, THREADS>>>(results);
    check("votes", THREADS, [](int i) {
        return 48000 + (i / 32 == 1 ? 7 : 0) + (i < 32 ? (i ^ 16) + 1 : 0);
    });
    part_of_a_warp<<<1, 64>>>(results);
    check("part_of_a_warp", 64, [](int i) { return i < 15 ? i + 1 : i == 15 ? 15 : -1; });
    of_a_group<<<2, dim3(8, 12)>>>(results);
    check("of_a_group", 2, [](int) { return THREADS * (THREADS - 1) / 2; });
    of_types<int, 64><<<1, 64>>>(results);
    check("of_types", 64, [](int i) { return (63 - i) / 2; });
    wrong_guess<<<1, THREADS>>>(results);
    check("wrong_guess", THREADS, [](int) { return 1; });
    packs<<<1, THREADS>>>(results, 1, 2);
    check("packs", THREADS, [](int i) { return 2 * i + 3; });
    const char* seed = std::getenv("KBUILD_SEED");
    if (seed == nullptr || *seed == '0') {  // it takes long, and its threads have no order to try
        large_grid<<<2097160, 1024>>>(reinterpret_cast<unsigned*>(results));
        check("large_grid", 512, [](int i) { return 2097160 + i; });
    }
    atomics<<<2, THREADS>>>(results);
    check("atomics", 8, [](int i) {
        return i < 5 ? 2 * (THREADS / 5 + (i < THREADS % 5)) : i == 7 ? 2 * (THREADS - 1) : 0;
    });
    std::puts("done");
}
