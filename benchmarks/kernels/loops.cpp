#include "loops.hpp"

#include "sizes.hpp"

namespace loops {

void nothing()
{
#pragma omp parallel
    asm volatile(""); // or the compiler drops the region
}

void saxpy(int n, float a, const float* x, float* y)
{
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
        y[i] = a * x[i] + y[i];
}

void matmul_naive(int n, const float* a, const float* b, float* c)
{
#pragma omp parallel for collapse(2)
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int k = 0; k < n; ++k)
                sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
}

namespace {

void multiply_block(int n, int top, int left, const float* a, const float* b, float* c)
{
    float tile_a[tile][tile];
    float tile_b[tile][tile];
    float sums[tile][tile] = {};
    for (int start = 0; start < n; start += tile) {
        for (int y = 0; y < tile; ++y)
            for (int x = 0; x < tile; ++x) {
                tile_a[y][x] = a[(top + y) * n + start + x];
                tile_b[y][x] = b[(start + y) * n + left + x];
            }
        for (int y = 0; y < tile; ++y)
            for (int k = 0; k < tile; ++k)
                for (int x = 0; x < tile; ++x)
                    sums[y][x] += tile_a[y][k] * tile_b[k][x];
    }
    for (int y = 0; y < tile; ++y)
        for (int x = 0; x < tile; ++x)
            c[(top + y) * n + left + x] = sums[y][x];
}

} // namespace

void matmul_tiled(int n, const float* a, const float* b, float* c)
{
#pragma omp parallel for collapse(2)
    for (int top = 0; top < n; top += tile)
        for (int left = 0; left < n; left += tile)
            multiply_block(n, top, left, a, b, c);
}

void block_sums(int n, const float* values, float* sums)
{
#pragma omp parallel for
    for (int block = 0; block < n / block_size; ++block) {
        float partial[block_size];
        for (int thread = 0; thread < block_size; ++thread)
            partial[thread] = values[block * block_size + thread];
        for (int width = block_size / 2; width > 0; width /= 2)
            for (int thread = 0; thread < width; ++thread)
                partial[thread] += partial[thread + width];
        sums[block] = partial[0];
    }
}

} // namespace loops
