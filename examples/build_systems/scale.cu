// A mixed source. The Makefile compiles it with kbuild-nvcc, as it would with nvcc.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void scale(float* values, float factor) { values[threadIdx.x] *= factor; }

int main()
{
    float host[] = {1, 2, 3};
    float* device = nullptr;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<1, 3>>>(device, 0.5f);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%g %g %g\n", host[0], host[1], host[2]);
    return cudaFree(device);
}
