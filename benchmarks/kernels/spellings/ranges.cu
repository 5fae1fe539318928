// The kernels of kernels.cu with loops over ranges, by iterators of a project.
#include "../sizes.hpp"

namespace ranges {

// The numbers from `begin` up to `end`, in steps.
class Range {
public:
    class Iterator {
    public:
        __host__ __device__ Iterator(int value, int step) : value_(value), step_(step) {}
        __host__ __device__ int operator*() const { return value_; }
        __host__ __device__ Iterator& operator++()
        {
            value_ += step_;
            return *this;
        }
        __host__ __device__ bool operator!=(const Iterator& end) const
        {
            return value_ < end.value_;
        }

    private:
        int value_;
        int step_;
    };

    __host__ __device__ Range(int begin, int end, int step)
        : begin_(begin), end_(end), step_(step)
    {
    }
    __host__ __device__ Iterator begin() const { return {begin_, step_}; }
    __host__ __device__ Iterator end() const { return {end_, step_}; }

private:
    int begin_;
    int end_;
    int step_;
};

// A number and its halves, down to 1.
class Halves {
public:
    struct Iterator {
        int value;
        __host__ __device__ int operator*() const { return value; }
        __host__ __device__ void operator++() { value /= 2; }
        __host__ __device__ bool operator!=(const Iterator& end) const
        {
            return value != end.value;
        }
    };

    __host__ __device__ explicit Halves(int first) : first_(first) {}
    __host__ __device__ Iterator begin() const { return {first_}; }
    __host__ __device__ Iterator end() const { return {0}; }

private:
    int first_;
};

// A number and what it doubles to, up to a limit.
class Doubles {
public:
    struct Iterator {
        int value;
        __host__ __device__ int operator*() const { return value; }
        __host__ __device__ void operator++() { value *= 2; }
        __host__ __device__ bool operator!=(const Iterator& end) const { return value < end.value; }
    };

    __host__ __device__ Doubles(int first, int end) : first_(first), end_(end) {}
    __host__ __device__ Iterator begin() const { return {first_}; }
    __host__ __device__ Iterator end() const { return {end_}; }

private:
    int first_;
    int end_;
};

__device__ inline Range range(int begin, int end, int step = 1)
{
    return {begin, end, step};
}

__device__ inline Range range(int end)
{
    return {0, end, 1};
}

// The elements of a thread in a vector of `n`.
__device__ inline Range grid_stride(int n)
{
    return {int(blockIdx.x * blockDim.x + threadIdx.x), n, int(blockDim.x * gridDim.x)};
}

// The elements of a thread in a vector of `n` of its block.
__device__ inline Range block_stride(int n)
{
    return {int(threadIdx.x), n, int(blockDim.x)};
}

__global__ void nothing()
{
}

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    for (int i : grid_stride(n))
        y[i] = a * x[i] + y[i];
}

__global__ void matmul_naive(int n, const float* a, const float* b, float* c)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k : range(n))
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul_tiled(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start : range(0, n, TILE)) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k : range(TILE))
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void matmul_large_tile(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[LARGE_TILE][LARGE_TILE];
    __shared__ float tile_b[LARGE_TILE][LARGE_TILE];
    const int row = blockIdx.y * LARGE_TILE + threadIdx.y;
    const int column = blockIdx.x * LARGE_TILE + threadIdx.x;
    float sum = 0;
    for (int start : range(0, n, LARGE_TILE)) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k : range(LARGE_TILE))
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void block_sums(int, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE];
    partial[threadIdx.x] = values[blockIdx.x * BLOCK_SIZE + threadIdx.x];
    __syncthreads();
    for (int width : Halves(BLOCK_SIZE / 2)) {
        if (threadIdx.x < width)
            partial[threadIdx.x] += partial[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void guarded_sums(int n, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int count = min(BLOCK_SIZE, n - int(blockIdx.x) * BLOCK_SIZE);
    if (i >= n)
        return;
    partial[threadIdx.x] = values[i];
    __syncthreads();
    for (int width : Halves(BLOCK_SIZE / 2)) {
        if (threadIdx.x < width && threadIdx.x + width < count)
            partial[threadIdx.x] += partial[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void warp_sums(int, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE / 32];
    float sum = values[blockIdx.x * BLOCK_SIZE + threadIdx.x];
    for (int offset : Halves(16))
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < BLOCK_SIZE / 32 ? partial[threadIdx.x] : 0;
        for (int offset : Halves(16))
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

__global__ void block_scan(int, const float* values, float* scanned)
{
    __shared__ float buffer[BLOCK_SIZE];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    buffer[threadIdx.x] = values[i];
    __syncthreads();
    for (int offset : Doubles(1, BLOCK_SIZE)) {
        float before = 0;
        if (threadIdx.x >= offset)
            before = buffer[threadIdx.x - offset];
        __syncthreads();
        buffer[threadIdx.x] += before;
        __syncthreads();
    }
    scanned[i] = buffer[threadIdx.x];
}

__global__ void stencil(int, const float* values, float* result)
{
    __shared__ float part[BLOCK_SIZE + 2 * RADIUS];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    part[threadIdx.x] = values[i];
    if (threadIdx.x < 2 * RADIUS)
        part[threadIdx.x + BLOCK_SIZE] = values[i + BLOCK_SIZE];
    __syncthreads();
    float sum = 0;
    for (int k : range(2 * RADIUS + 1))
        sum += part[threadIdx.x + k];
    result[i] = sum;
}

__global__ void histogram(int, const unsigned char* values, int* counts)
{
    __shared__ int part[BINS];
    part[threadIdx.x] = 0;
    __syncthreads();
    const int first = blockIdx.x * BLOCK_SIZE * PER_THREAD + threadIdx.x;
    for (int i : range(first, first + PER_THREAD * BLOCK_SIZE, BLOCK_SIZE))
        atomicAdd(&part[values[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}

__global__ void transpose(int n, const float* matrix, float* result)
{
    __shared__ float part[TILE][TILE + 1];
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    part[threadIdx.y][threadIdx.x] = matrix[(y + threadIdx.y) * n + x + threadIdx.x];
    __syncthreads();
    result[(x + threadIdx.y) * n + y + threadIdx.x] = part[threadIdx.x][threadIdx.y];
}

__global__ void softmax(int, const float* values, float* result)
{
    __shared__ float partial[BLOCK_SIZE];
    const float* row = values + blockIdx.x * COLUMNS;
    float largest = row[threadIdx.x];
    for (int k : block_stride(COLUMNS))
        largest = fmaxf(largest, row[k]);
    partial[threadIdx.x] = largest;
    __syncthreads();
    for (int width : Halves(BLOCK_SIZE / 2)) {
        if (threadIdx.x < width)
            partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();
    float sum = 0;
    for (int k : block_stride(COLUMNS))
        sum += expf(row[k] - largest);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int width : Halves(BLOCK_SIZE / 2)) {
        if (threadIdx.x < width)
            partial[threadIdx.x] += partial[threadIdx.x + width];
        __syncthreads();
    }
    sum = partial[0];
    for (int k : block_stride(COLUMNS))
        result[blockIdx.x * COLUMNS + k] = expf(row[k] - largest) / sum;
}

__global__ void nbody(int n, const float* places, float* potentials)
{
    __shared__ float part[BLOCK_SIZE];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const float own = places[i];
    float sum = 0;
    for (int start : range(0, n, BLOCK_SIZE)) {
        part[threadIdx.x] = places[start + threadIdx.x];
        __syncthreads();
        for (int k : range(BLOCK_SIZE)) {
            const float distance = part[k] - own;
            sum += 1 / (distance * distance + 0.01f);
        }
        __syncthreads();
    }
    potentials[i] = sum;
}

__global__ void bitonic_sort(int, const float* values, float* sorted)
{
    __shared__ float part[BLOCK_SIZE];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    part[threadIdx.x] = values[i];
    __syncthreads();
    for (int size : Doubles(2, BLOCK_SIZE + 1))
        for (int stride : Halves(size / 2)) {
            const int other = threadIdx.x ^ stride;
            if (other > threadIdx.x) {
                const float a = part[threadIdx.x], b = part[other];
                if ((a > b) == ((threadIdx.x & size) == 0)) {
                    part[threadIdx.x] = b;
                    part[other] = a;
                }
            }
            __syncthreads();
        }
    sorted[i] = part[threadIdx.x];
}

__global__ void jacobi(int n, const float* grid, float* result)
{
    __shared__ float part[TILE + 2][TILE + 2];
    const int width = n + 2;
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int own = (blockIdx.y * TILE + y) * width + blockIdx.x * TILE + x;
    part[y][x] = grid[own];
    if (threadIdx.x == 0)
        part[y][0] = grid[own - 1];
    if (threadIdx.x == TILE - 1)
        part[y][TILE + 1] = grid[own + 1];
    if (threadIdx.y == 0)
        part[0][x] = grid[own - width];
    if (threadIdx.y == TILE - 1)
        part[TILE + 1][x] = grid[own + width];
    __syncthreads();
    result[own] = (part[y][x - 1] + part[y][x + 1] + part[y - 1][x] + part[y + 1][x]) / 4;
}

} // namespace ranges
