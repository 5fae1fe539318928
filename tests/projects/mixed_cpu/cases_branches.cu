// Both branches of a condition call an operation with the mask of the whole warp, which CUDA allows.
#include "region_results.h"

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

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    both_branches<<<1, 64>>>(results);
    check("both_branches", 64, [](int i) { return (i ^ 16) * (i & 16 ? 1 : 2); });
    std::puts("done");
}
