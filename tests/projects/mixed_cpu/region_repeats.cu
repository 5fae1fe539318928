// Kernels that kbuild divides in another way, or not at all, after a first compile. Here, the second one takes little time.
#include "region_results.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int THREADS = 96;

__device__ int own_rank()
{
    return threadIdx.x + threadIdx.y * blockDim.x;
}

__global__ void reads_the_index(int* out)
{
    __shared__ int part[THREADS];
    part[own_rank()] = own_rank() * 2;
    __syncthreads();
    out[own_rank()] = part[THREADS - 1 - own_rank()];
}

// A function without barriers that reads the index.
__device__ int own_index() { return threadIdx.x; }
__device__ int opposite(int count)
{
    __shared__ int all[THREADS];
    all[own_index()] = 3 * own_index();
    __syncthreads();
    return all[count - 1 - own_index()];
}
__global__ void reads_it_in_a_function(int* out) { out[threadIdx.x] = opposite(blockDim.x); }

// Each thread has its own variable.
__global__ void classes(int* out)
{
    struct Pair {
        int a, b;
    } own;
    struct Pair other = {5, 6};
    enum Kind { EVEN, ODD };
    enum Kind kind = threadIdx.x % 2 ? ODD : EVEN;
    own.a = threadIdx.x;
    other.b = kind;
    __syncthreads();
    out[threadIdx.x] = 100 * own.a + 10 * other.a + other.b;
}

// A parameter of a type without its parent can have any parent: a function that asks it for its place has fibers.
__device__ int find_place(cg::thread_block_tile<4> tile, int value)
{
    return 10 * tile.shfl_xor(value, 1) + tile.meta_group_rank();
}
__global__ void places_of_parameters(int* out)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto outer = cg::tiled_partition<16>(block);
    const auto inner = cg::tiled_partition<4>(outer);
    const auto direct = cg::tiled_partition<4>(block);
    out[threadIdx.x] = 10000 * find_place(direct, threadIdx.x) + find_place(inner, 5);
}

// This has fibers.
__global__ void large_tile(int* out)
{
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    tile.sync();
    out[threadIdx.x] = tile.thread_rank();
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    reads_the_index<<<1, dim3(12, 8)>>>(results);
    check("reads_the_index", THREADS, [](int i) { return 2 * (THREADS - 1 - i); });
    reads_it_in_a_function<<<1, THREADS>>>(results);
    check("reads_it_in_a_function", THREADS, [](int i) { return 3 * (THREADS - 1 - i); });
    classes<<<1, THREADS>>>(results);
    check("classes", THREADS, [](int i) { return 100 * i + 50 + i % 2; });
    places_of_parameters<<<1, THREADS>>>(results);
    check("places_of_parameters", THREADS, [](int i) {
        return 10000 * (10 * (i ^ 1) + i / 4) + 50 + i % 16 / 4;
    });
    large_tile<<<1, 128>>>(results);
    check("large_tile", 128, [](int i) { return i % 64; });
    std::puts("done");
}
