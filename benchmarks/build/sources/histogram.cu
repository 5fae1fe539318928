#include <cub/cub.cuh>

__global__ void histogram(const float* in, float* out)
{
    using Histogram = cub::BlockHistogram<unsigned char, 128, 8, 256, cub::BLOCK_HISTO_SORT>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned bins[256];
    unsigned char items[8];
    for (int i = 0; i < 8; ++i)
        items[i] = static_cast<unsigned char>(in[blockIdx.x * 1024 + threadIdx.x * 8 + i]);
    Histogram(storage).Histogram(items, bins);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 128)
        out[blockIdx.x * 256 + i] = static_cast<float>(bins[i]);
}
