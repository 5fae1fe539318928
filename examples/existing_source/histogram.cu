// A kernel, host code, and a launch in one source.
#include "histogram.hpp"

#include <cuda_runtime.h>

#include <stdexcept>

__global__ void histogram(const unsigned char* text, int length, unsigned* counts)
{
    __shared__ unsigned block[256];
    block[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
        atomicAdd(&block[text[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], block[threadIdx.x]);
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

std::array<unsigned, 256> count_characters(const std::string& text)
{
    std::array<unsigned, 256> counts{};
    const int length = static_cast<int>(text.size());
    unsigned char* device_text = nullptr;
    unsigned* device_counts = nullptr;

    check(cudaMalloc(&device_text, text.size() + 1));
    check(cudaMalloc(&device_counts, sizeof counts));
    check(cudaMemcpy(device_text, text.data(), text.size(), cudaMemcpyHostToDevice));
    check(cudaMemset(device_counts, 0, sizeof counts));
    histogram<<<4, 256>>>(device_text, length, device_counts);
    check(cudaGetLastError());
    check(cudaMemcpy(counts.data(), device_counts, sizeof counts, cudaMemcpyDeviceToHost));
    check(cudaFree(device_counts));
    check(cudaFree(device_text));
    return counts;
}
