// Kernels that kbuild divides in another way, or not at all, after a first compile. Here, the second one takes little time.
#include "region_results.h"

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

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    reads_the_index<<<1, dim3(12, 8)>>>(results);
    check("reads_the_index", THREADS, [](int i) { return 2 * (THREADS - 1 - i); });
    reads_it_in_a_function<<<1, THREADS>>>(results);
    check("reads_it_in_a_function", THREADS, [](int i) { return 3 * (THREADS - 1 - i); });
    classes<<<1, THREADS>>>(results);
    check("classes", THREADS, [](int i) { return 100 * i + 50 + i % 2; });
    std::puts("done");
}
