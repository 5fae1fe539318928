#include <cstdio>

#include <cuda_runtime.h>

__global__ void fill(float* values, float step) { values[threadIdx.x] = step * threadIdx.x; }

int main()
{
    float* values = nullptr;
    cudaMallocManaged(&values, 4 * sizeof *values);
    fill<<<1, 4>>>(values, 0.5f);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::printf("%g %g %g %g\n", values[0], values[1], values[2], values[3]);
    cudaFree(values);
}
