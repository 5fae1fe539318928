// The kernels of kernels.cu in OpenCL C. PoCL has no shuffles, so one is missing.
#include "sizes.hpp"

__kernel void saxpy(int n, float a, __global const float* x, __global float* y)
{
    const int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__kernel void matmul_naive(int n, __global const float* a, __global const float* b, __global float* c)
{
    const int row = get_group_id(1) * get_local_size(1) + get_local_id(1);
    const int column = get_group_id(0) * get_local_size(0) + get_local_id(0);
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__kernel void matmul_tiled(int n, __global const float* a, __global const float* b, __global float* c)
{
    __local float tile_a[TILE][TILE];
    __local float tile_b[TILE][TILE];
    const int row = get_group_id(1) * TILE + get_local_id(1);
    const int column = get_group_id(0) * TILE + get_local_id(0);
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {
        tile_a[get_local_id(1)][get_local_id(0)] = a[row * n + start + get_local_id(0)];
        tile_b[get_local_id(1)][get_local_id(0)] = b[(start + get_local_id(1)) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[get_local_id(1)][k] * tile_b[k][get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void matmul_large_tile(int n, __global const float* a, __global const float* b, __global float* c)
{
    __local float tile_a[LARGE_TILE][LARGE_TILE];
    __local float tile_b[LARGE_TILE][LARGE_TILE];
    const int row = get_group_id(1) * LARGE_TILE + get_local_id(1);
    const int column = get_group_id(0) * LARGE_TILE + get_local_id(0);
    float sum = 0;
    for (int start = 0; start < n; start += LARGE_TILE) {
        tile_a[get_local_id(1)][get_local_id(0)] = a[row * n + start + get_local_id(0)];
        tile_b[get_local_id(1)][get_local_id(0)] = b[(start + get_local_id(1)) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < LARGE_TILE; ++k)
            sum += tile_a[get_local_id(1)][k] * tile_b[k][get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void block_sums(int unused, __global const float* values, __global float* sums)
{
    __local float partial[BLOCK_SIZE];
    partial[get_local_id(0)] = values[get_group_id(0) * BLOCK_SIZE + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (get_local_id(0) < width)
            partial[get_local_id(0)] += partial[get_local_id(0) + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = partial[0];
}

// Threads behind the end return before the first barrier.
__kernel void guarded_sums(int n, __global const float* values, __global float* sums)
{
    __local float partial[BLOCK_SIZE];
    const int i = get_group_id(0) * BLOCK_SIZE + get_local_id(0);
    const int count = min(BLOCK_SIZE, n - (int)get_group_id(0) * BLOCK_SIZE);
    if (i >= n)
        return;
    partial[get_local_id(0)] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (get_local_id(0) < width && get_local_id(0) + width < count)
            partial[get_local_id(0)] += partial[get_local_id(0) + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = partial[0];
}

__kernel void block_scan(int unused, __global const float* values, __global float* scanned)
{
    __local float buffer[BLOCK_SIZE];
    const int i = get_group_id(0) * BLOCK_SIZE + get_local_id(0);
    buffer[get_local_id(0)] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
        float before = 0;
        if (get_local_id(0) >= offset)
            before = buffer[get_local_id(0) - offset];
        barrier(CLK_LOCAL_MEM_FENCE);
        buffer[get_local_id(0)] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    scanned[i] = buffer[get_local_id(0)];
}

// `values` has RADIUS more elements on both sides.
__kernel void stencil(int unused, __global const float* values, __global float* result)
{
    __local float part[BLOCK_SIZE + 2 * RADIUS];
    const int i = get_group_id(0) * BLOCK_SIZE + get_local_id(0);
    part[get_local_id(0)] = values[i];
    if (get_local_id(0) < 2 * RADIUS)
        part[get_local_id(0) + BLOCK_SIZE] = values[i + BLOCK_SIZE];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; ++k)
        sum += part[get_local_id(0) + k];
    result[i] = sum;
}

__kernel void histogram(int unused, __global const uchar* values, __global int* counts)
{
    __local int part[BINS];
    part[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int first = get_group_id(0) * BLOCK_SIZE * PER_THREAD + get_local_id(0);
    for (int k = 0; k < PER_THREAD; ++k)
        atomic_add(&part[values[first + k * BLOCK_SIZE]], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[get_local_id(0)], part[get_local_id(0)]);
}

__kernel void transpose(int n, __global const float* matrix, __global float* result)
{
    __local float part[TILE][TILE + 1];
    const int x = get_group_id(0) * TILE, y = get_group_id(1) * TILE;
    part[get_local_id(1)][get_local_id(0)] = matrix[(y + get_local_id(1)) * n + x + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    result[(x + get_local_id(1)) * n + y + get_local_id(0)] = part[get_local_id(0)][get_local_id(1)];
}

// A block per row.
__kernel void softmax(int unused, __global const float* values, __global float* result)
{
    __local float partial[BLOCK_SIZE];
    __global const float* row = values + get_group_id(0) * COLUMNS;
    float largest = row[get_local_id(0)];
    for (int k = get_local_id(0); k < COLUMNS; k += BLOCK_SIZE)
        largest = fmax(largest, row[k]);
    partial[get_local_id(0)] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (get_local_id(0) < width)
            partial[get_local_id(0)] = fmax(partial[get_local_id(0)], partial[get_local_id(0) + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    largest = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = get_local_id(0); k < COLUMNS; k += BLOCK_SIZE)
        sum += exp(row[k] - largest);
    partial[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (get_local_id(0) < width)
            partial[get_local_id(0)] += partial[get_local_id(0) + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = partial[0];
    for (int k = get_local_id(0); k < COLUMNS; k += BLOCK_SIZE)
        result[get_group_id(0) * COLUMNS + k] = exp(row[k] - largest) / sum;
}

// Potentials of points on a line.
__kernel void nbody(int n, __global const float* places, __global float* potentials)
{
    __local float part[BLOCK_SIZE];
    const int i = get_group_id(0) * BLOCK_SIZE + get_local_id(0);
    const float own = places[i];
    float sum = 0;
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        part[get_local_id(0)] = places[start + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BLOCK_SIZE; ++k) {
            const float distance = part[k] - own;
            sum += 1 / (distance * distance + 0.01f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    potentials[i] = sum;
}

__kernel void bitonic_sort(int unused, __global const float* values, __global float* sorted)
{
    __local float part[BLOCK_SIZE];
    const int i = get_group_id(0) * BLOCK_SIZE + get_local_id(0);
    part[get_local_id(0)] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = 2; size <= BLOCK_SIZE; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = get_local_id(0) ^ stride;
            if (other > get_local_id(0)) {
                const float a = part[get_local_id(0)], b = part[other];
                if ((a > b) == ((get_local_id(0) & size) == 0)) {
                    part[get_local_id(0)] = b;
                    part[other] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    sorted[i] = part[get_local_id(0)];
}

// A step on the inner points of a grid with n + 2 rows and columns.
__kernel void jacobi(int n, __global const float* grid, __global float* result)
{
    __local float part[TILE + 2][TILE + 2];
    const int width = n + 2;
    const int x = get_local_id(0) + 1, y = get_local_id(1) + 1;
    const int own = (get_group_id(1) * TILE + y) * width + get_group_id(0) * TILE + x;
    part[y][x] = grid[own];
    if (get_local_id(0) == 0)
        part[y][0] = grid[own - 1];
    if (get_local_id(0) == TILE - 1)
        part[y][TILE + 1] = grid[own + 1];
    if (get_local_id(1) == 0)
        part[0][x] = grid[own - width];
    if (get_local_id(1) == TILE - 1)
        part[TILE + 1][x] = grid[own + width];
    barrier(CLK_LOCAL_MEM_FENCE);
    result[own] = (part[y][x - 1] + part[y][x + 1] + part[y - 1][x] + part[y + 1][x]) / 4;
}
