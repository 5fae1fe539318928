// The kernels of kernels.cu with device functions for indices, loads, and reductions. Parameters are
// values and references.
#include "../sizes.hpp"

namespace functions {

__device__ int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ int row_of(int tile)
{
    return blockIdx.y * tile + threadIdx.y;
}

__device__ int column_of(int tile)
{
    return blockIdx.x * tile + threadIdx.x;
}

__device__ bool is_first()
{
    return threadIdx.x == 0;
}

__device__ float load(const float* values, int i)
{
    return values[i];
}

__device__ void store(float* values, int i, const float& value)
{
    values[i] = value;
}

__device__ void add(float& sum, float x)
{
    sum += x;
}

__device__ void multiply_add(float& sum, const float& a, const float& b)
{
    sum += a * b;
}

__device__ void swap(float& a, float& b)
{
    const float old = a;
    a = b;
    b = old;
}

__device__ float larger(const float& a, const float& b)
{
    return fmaxf(a, b);
}

__device__ void find_larger(float& largest, float x)
{
    largest = fmaxf(largest, x);
}

__device__ float exponential(float x, const float& largest)
{
    return expf(x - largest);
}

__device__ float potential(float place, float own)
{
    const float distance = place - own;
    return 1 / (distance * distance + 0.01f);
}

__device__ float warp_reduce(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

// Returns the sum of the values of all threads, to all of them.
__device__ float block_reduce(const float& own)
{
    __shared__ float partial[BLOCK_SIZE];
    partial[threadIdx.x] = own;
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            add(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    return partial[0];
}

__device__ float block_largest(float* partial, float own)
{
    store(partial, threadIdx.x, own);
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            find_larger(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    const float largest = partial[0];
    __syncthreads();
    return largest;
}

__device__ void count_value(int* counts, unsigned char value)
{
    atomicAdd(&counts[value], 1);
}

// Sorts two elements of `part` in the direction of this step.
__device__ void sort_pair(float& a, float& b, bool is_ascending)
{
    if ((a > b) == is_ascending)
        swap(a, b);
}

__device__ float mean_of(float left, float right, float top, float bottom)
{
    return (left + right + top + bottom) / 4;
}

__global__ void nothing()
{
}

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    const int i = global_index();
    if (i < n)
        multiply_add(y[i], a, x[i]);
}

__global__ void matmul_naive(int n, const float* a, const float* b, float* c)
{
    const int row = row_of(blockDim.y);
    const int column = column_of(blockDim.x);
    float sum = 0;
    for (int k = 0; k < n; ++k)
        multiply_add(sum, a[row * n + k], b[k * n + column]);
    store(c, row * n + column, sum);
}

__global__ void matmul_tiled(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const int row = row_of(TILE);
    const int column = column_of(TILE);
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = load(a, row * n + start + threadIdx.x);
        tile_b[threadIdx.y][threadIdx.x] = load(b, (start + threadIdx.y) * n + column);
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            multiply_add(sum, tile_a[threadIdx.y][k], tile_b[k][threadIdx.x]);
        __syncthreads();
    }
    store(c, row * n + column, sum);
}

__global__ void matmul_large_tile(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[LARGE_TILE][LARGE_TILE];
    __shared__ float tile_b[LARGE_TILE][LARGE_TILE];
    const int row = row_of(LARGE_TILE);
    const int column = column_of(LARGE_TILE);
    float sum = 0;
    for (int start = 0; start < n; start += LARGE_TILE) {
        tile_a[threadIdx.y][threadIdx.x] = load(a, row * n + start + threadIdx.x);
        tile_b[threadIdx.y][threadIdx.x] = load(b, (start + threadIdx.y) * n + column);
        __syncthreads();
        for (int k = 0; k < LARGE_TILE; ++k)
            multiply_add(sum, tile_a[threadIdx.y][k], tile_b[k][threadIdx.x]);
        __syncthreads();
    }
    store(c, row * n + column, sum);
}

__global__ void block_sums(int, const float* values, float* sums)
{
    const float sum = block_reduce(load(values, global_index()));
    if (is_first())
        sums[blockIdx.x] = sum;
}

__global__ void guarded_sums(int n, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE];
    const int i = global_index();
    const int count = min(BLOCK_SIZE, n - int(blockIdx.x) * BLOCK_SIZE);
    if (i >= n)
        return;
    store(partial, threadIdx.x, load(values, i));
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width && threadIdx.x + width < count)
            add(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    if (is_first())
        store(sums, blockIdx.x, partial[0]);
}

__global__ void warp_sums(int, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE / 32];
    float sum = warp_reduce(load(values, global_index()));
    if (threadIdx.x % 32 == 0)
        store(partial, threadIdx.x / 32, sum);
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < BLOCK_SIZE / 32 ? load(partial, threadIdx.x) : 0;
        sum = warp_reduce(sum);
        if (is_first())
            sums[blockIdx.x] = sum;
    }
}

__global__ void block_scan(int, const float* values, float* scanned)
{
    __shared__ float buffer[BLOCK_SIZE];
    const int i = global_index();
    store(buffer, threadIdx.x, load(values, i));
    __syncthreads();
    for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
        float before = 0;
        if (threadIdx.x >= offset)
            before = load(buffer, threadIdx.x - offset);
        __syncthreads();
        add(buffer[threadIdx.x], before);
        __syncthreads();
    }
    store(scanned, i, buffer[threadIdx.x]);
}

__global__ void stencil(int, const float* values, float* result)
{
    __shared__ float part[BLOCK_SIZE + 2 * RADIUS];
    const int i = global_index();
    store(part, threadIdx.x, load(values, i));
    if (threadIdx.x < 2 * RADIUS)
        store(part, threadIdx.x + BLOCK_SIZE, load(values, i + BLOCK_SIZE));
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; ++k)
        add(sum, load(part, threadIdx.x + k));
    store(result, i, sum);
}

__global__ void histogram(int, const unsigned char* values, int* counts)
{
    __shared__ int part[BINS];
    part[threadIdx.x] = 0;
    __syncthreads();
    const int first = blockIdx.x * BLOCK_SIZE * PER_THREAD + threadIdx.x;
    for (int k = 0; k < PER_THREAD; ++k)
        count_value(part, values[first + k * BLOCK_SIZE]);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}

__global__ void transpose(int n, const float* matrix, float* result)
{
    __shared__ float part[TILE][TILE + 1];
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    part[threadIdx.y][threadIdx.x] = load(matrix, row_of(TILE) * n + column_of(TILE));
    __syncthreads();
    store(result, (x + threadIdx.y) * n + y + threadIdx.x, part[threadIdx.x][threadIdx.y]);
}

__global__ void softmax(int, const float* values, float* result)
{
    __shared__ float partial[BLOCK_SIZE];
    const float* row = values + blockIdx.x * COLUMNS;
    float largest = load(row, threadIdx.x);
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        largest = larger(largest, load(row, k));
    largest = block_largest(partial, largest);
    float sum = 0;
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        add(sum, exponential(load(row, k), largest));
    sum = block_reduce(sum);
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        store(result, blockIdx.x * COLUMNS + k, exponential(load(row, k), largest) / sum);
}

__global__ void nbody(int n, const float* places, float* potentials)
{
    __shared__ float part[BLOCK_SIZE];
    const int i = global_index();
    const float own = load(places, i);
    float sum = 0;
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        store(part, threadIdx.x, load(places, start + threadIdx.x));
        __syncthreads();
        for (int k = 0; k < BLOCK_SIZE; ++k)
            add(sum, potential(part[k], own));
        __syncthreads();
    }
    store(potentials, i, sum);
}

__global__ void bitonic_sort(int, const float* values, float* sorted)
{
    __shared__ float part[BLOCK_SIZE];
    const int i = global_index();
    store(part, threadIdx.x, load(values, i));
    __syncthreads();
    for (int size = 2; size <= BLOCK_SIZE; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = threadIdx.x ^ stride;
            if (other > threadIdx.x)
                sort_pair(part[threadIdx.x], part[other], (threadIdx.x & size) == 0);
            __syncthreads();
        }
    store(sorted, i, part[threadIdx.x]);
}

__global__ void jacobi(int n, const float* grid, float* result)
{
    __shared__ float part[TILE + 2][TILE + 2];
    const int width = n + 2;
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int own = (row_of(TILE) + 1) * width + column_of(TILE) + 1;
    part[y][x] = load(grid, own);
    if (threadIdx.x == 0)
        part[y][0] = load(grid, own - 1);
    if (threadIdx.x == TILE - 1)
        part[y][TILE + 1] = load(grid, own + 1);
    if (threadIdx.y == 0)
        part[0][x] = load(grid, own - width);
    if (threadIdx.y == TILE - 1)
        part[TILE + 1][x] = load(grid, own + width);
    __syncthreads();
    store(result, own, mean_of(part[y][x - 1], part[y][x + 1], part[y - 1][x], part[y + 1][x]));
}

} // namespace functions
