// Heads of loops around barriers that declare several variables.
#include "region_results.h"
constexpr int THREADS = 100;
__global__ void merged(int* out)
{
    __shared__ int partial[128];
    const int t = threadIdx.x;
    partial[t] = t;
    __syncthreads();
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
    for (int i = 0, *p = &i; i < 3; ++*p) {
        __syncthreads();
        sum += i;
    }
    out[threadIdx.x] = sum;
}
int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    merged<<<1, THREADS>>>(results);
    check("merged", THREADS, [](int i) { return (2 * (i + 64) - 64 + 7 * i + 127) * 10000 + 4950; });
    pointers<<<1, THREADS>>>(results);
    check("pointers", THREADS, [](int) { return 3; });
    std::printf("done\n");
}
