#include "loops.hpp"

#include "sizes.hpp"

#include <algorithm>
#include <cmath>

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

template <int tile>
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

template <int tile>
void multiply(int n, const float* a, const float* b, float* c)
{
#pragma omp parallel for collapse(2)
    for (int top = 0; top < n; top += tile)
        for (int left = 0; left < n; left += tile)
            multiply_block<tile>(n, top, left, a, b, c);
}

} // namespace

void matmul_tiled(int n, const float* a, const float* b, float* c)
{
    multiply<TILE>(n, a, b, c);
}

void matmul_large_tile(int n, const float* a, const float* b, float* c)
{
    multiply<LARGE_TILE>(n, a, b, c);
}

void block_sums(int n, const float* values, float* sums)
{
#pragma omp parallel for
    for (int block = 0; block < n / BLOCK_SIZE; ++block) {
        float partial[BLOCK_SIZE];
        for (int thread = 0; thread < BLOCK_SIZE; ++thread)
            partial[thread] = values[block * BLOCK_SIZE + thread];
        for (int width = BLOCK_SIZE / 2; width > 0; width /= 2)
            for (int thread = 0; thread < width; ++thread)
                partial[thread] += partial[thread + width];
        sums[block] = partial[0];
    }
}

void guarded_sums(int n, const float* values, float* sums)
{
#pragma omp parallel for
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        const int count = std::min(BLOCK_SIZE, n - start);
        float partial[BLOCK_SIZE] = {};
        for (int thread = 0; thread < count; ++thread)
            partial[thread] = values[start + thread];
        for (int width = BLOCK_SIZE / 2; width > 0; width /= 2)
            for (int thread = 0; thread < width; ++thread)
                partial[thread] += partial[thread + width];
        sums[start / BLOCK_SIZE] = partial[0];
    }
}

void block_scan(int n, const float* values, float* scanned)
{
#pragma omp parallel for
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        float buffer[BLOCK_SIZE];
        for (int thread = 0; thread < BLOCK_SIZE; ++thread)
            buffer[thread] = values[start + thread];
        for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
            float before[BLOCK_SIZE] = {};
            for (int thread = offset; thread < BLOCK_SIZE; ++thread)
                before[thread] = buffer[thread - offset];
            for (int thread = 0; thread < BLOCK_SIZE; ++thread)
                buffer[thread] += before[thread];
        }
        for (int thread = 0; thread < BLOCK_SIZE; ++thread)
            scanned[start + thread] = buffer[thread];
    }
}

void stencil(int n, const float* values, float* result)
{
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = 0; k <= 2 * RADIUS; ++k)
            sum += values[i + k];
        result[i] = sum;
    }
}

void histogram(int n, const unsigned char* values, int* counts)
{
#pragma omp parallel
    {
        int part[BINS] = {};
#pragma omp for
        for (int i = 0; i < n; ++i)
            ++part[values[i]];
        for (int bin = 0; bin < BINS; ++bin) {
#pragma omp atomic
            counts[bin] += part[bin];
        }
    }
}

void transpose(int n, const float* matrix, float* result)
{
#pragma omp parallel for collapse(2)
    for (int top = 0; top < n; top += TILE)
        for (int left = 0; left < n; left += TILE)
            for (int y = 0; y < TILE; ++y)
                for (int x = 0; x < TILE; ++x)
                    result[(left + y) * n + top + x] = matrix[(top + x) * n + left + y];
}

void softmax(int n, const float* values, float* result)
{
#pragma omp parallel for
    for (int start = 0; start < n; start += COLUMNS) {
        float largest = values[start];
        for (int k = 1; k < COLUMNS; ++k)
            largest = std::max(largest, values[start + k]);
        float sum = 0;
        for (int k = 0; k < COLUMNS; ++k)
            sum += std::exp(values[start + k] - largest);
        for (int k = 0; k < COLUMNS; ++k)
            result[start + k] = std::exp(values[start + k] - largest) / sum;
    }
}

void nbody(int n, const float* places, float* potentials)
{
#pragma omp parallel for
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        float sums[BLOCK_SIZE] = {};
        for (int k = 0; k < n; ++k)
            for (int thread = 0; thread < BLOCK_SIZE; ++thread) {
                const float distance = places[k] - places[start + thread];
                sums[thread] += 1 / (distance * distance + 0.01f);
            }
        std::copy(sums, sums + BLOCK_SIZE, potentials + start);
    }
}

void bitonic_sort(int n, const float* values, float* sorted)
{
#pragma omp parallel for
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        float part[BLOCK_SIZE];
        std::copy(values + start, values + start + BLOCK_SIZE, part);
        for (int size = 2; size <= BLOCK_SIZE; size *= 2)
            for (int stride = size / 2; stride > 0; stride /= 2)
                for (int i = 0; i < BLOCK_SIZE; ++i) {
                    const int other = i ^ stride;
                    if (other > i && (part[i] > part[other]) == ((i & size) == 0))
                        std::swap(part[i], part[other]);
                }
        std::copy(part, part + BLOCK_SIZE, sorted + start);
    }
}

void jacobi(int n, const float* grid, float* result)
{
    const int width = n + 2;
#pragma omp parallel for
    for (int y = 1; y <= n; ++y)
        for (int x = 1; x <= n; ++x) {
            const int own = y * width + x;
            result[own] = (grid[own - 1] + grid[own + 1] + grid[own - width] + grid[own + width]) / 4;
        }
}

} // namespace loops
