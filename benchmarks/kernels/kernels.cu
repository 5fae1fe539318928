#include "sizes.hpp"

__global__ void nothing()
{
}

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void matmul_naive(int n, const float* a, const float* b, float* c)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// n is a multiple of the tile.
__global__ void matmul_tiled(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[tile][tile];
    __shared__ float tile_b[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += tile) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// n is a multiple of the block.
__global__ void block_sums(int, const float* values, float* sums)
{
    __shared__ float partial[block_size];
    partial[threadIdx.x] = values[blockIdx.x * block_size + threadIdx.x];
    __syncthreads();
    for (int width = block_size / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            partial[threadIdx.x] += partial[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}
