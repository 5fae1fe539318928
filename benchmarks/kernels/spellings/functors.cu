// The kernels of kernels.cu with the arithmetic in classes with operator(), and with parameters as
// their members.
#include "../sizes.hpp"

namespace functors {

struct Axpy {
    float a;
    __device__ float operator()(float x, float y) const { return a * x + y; }
};

// The elements of a matrix, by rows.
struct Matrix {
    const float* elements;
    int pitch;
    __device__ float operator()(int row, int column) const
    {
        return elements[row * pitch + column];
    }
};

class Accumulate {
public:
    __device__ void operator()(float a, float b) { sum_ += a * b; }
    __device__ float result() const { return sum_; }

private:
    float sum_ = 0;
};

struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};

struct Larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Window {
    const float* values;
    int count;
    __device__ float operator()(int first) const
    {
        float sum = 0;
        for (int k = 0; k < count; ++k)
            sum += values[first + k];
        return sum;
    }
};

struct Bin {
    int count;
    int width;
    __device__ int operator()(int value) const { return min(value / width, count - 1); }
};

struct Exponential {
    float largest;
    float scale;
    __device__ float operator()(float x) const { return expf(x - largest) / scale; }
};

struct Potential {
    float own;
    float softening;
    __device__ float operator()(float place) const
    {
        const float distance = place - own;
        return 1 / (distance * distance + softening);
    }
};

// Whether two elements are in the wrong order for a step of the sort.
struct IsMisplaced {
    int size;
    __device__ bool operator()(int place, float a, float b) const
    {
        return (a > b) == ((place & size) == 0);
    }
};

template <int pitch>
struct Mean {
    const float (*part)[pitch];
    float weight;
    __device__ float operator()(int y, int x) const
    {
        return (part[y][x - 1] + part[y][x + 1] + part[y - 1][x] + part[y + 1][x]) * weight;
    }
};

__global__ void nothing()
{
}

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    const Axpy combine{a};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = combine(x[i], y[i]);
}

__global__ void matmul_naive(int n, const float* a, const float* b, float* c)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const Matrix left{a, n};
    const Matrix right{b, n};
    Accumulate add;
    for (int k = 0; k < n; ++k)
        add(left(row, k), right(k, column));
    c[row * n + column] = add.result();
}

__global__ void matmul_tiled(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    const Matrix left{a, n};
    const Matrix right{b, n};
    Accumulate add;
    for (int start = 0; start < n; start += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = left(row, start + threadIdx.x);
        tile_b[threadIdx.y][threadIdx.x] = right(start + threadIdx.y, column);
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            add(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x]);
        __syncthreads();
    }
    c[row * n + column] = add.result();
}

__global__ void matmul_large_tile(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[LARGE_TILE][LARGE_TILE];
    __shared__ float tile_b[LARGE_TILE][LARGE_TILE];
    const int row = blockIdx.y * LARGE_TILE + threadIdx.y;
    const int column = blockIdx.x * LARGE_TILE + threadIdx.x;
    const Matrix left{a, n};
    const Matrix right{b, n};
    Accumulate add;
    for (int start = 0; start < n; start += LARGE_TILE) {
        tile_a[threadIdx.y][threadIdx.x] = left(row, start + threadIdx.x);
        tile_b[threadIdx.y][threadIdx.x] = right(start + threadIdx.y, column);
        __syncthreads();
        for (int k = 0; k < LARGE_TILE; ++k)
            add(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x]);
        __syncthreads();
    }
    c[row * n + column] = add.result();
}

__global__ void block_sums(int, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE];
    const Plus combine{};
    partial[threadIdx.x] = values[blockIdx.x * BLOCK_SIZE + threadIdx.x];
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void guarded_sums(int n, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE];
    const Plus combine{};
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int count = min(BLOCK_SIZE, n - int(blockIdx.x) * BLOCK_SIZE);
    if (i >= n)
        return;
    partial[threadIdx.x] = values[i];
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width && threadIdx.x + width < count)
            partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void warp_sums(int, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE / 32];
    const Plus combine{};
    float sum = values[blockIdx.x * BLOCK_SIZE + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        sum = combine(sum, __shfl_down_sync(0xffffffff, sum, offset));
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < BLOCK_SIZE / 32 ? partial[threadIdx.x] : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            sum = combine(sum, __shfl_down_sync(0xffffffff, sum, offset));
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

__global__ void block_scan(int, const float* values, float* scanned)
{
    __shared__ float buffer[BLOCK_SIZE];
    const Plus combine{};
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    buffer[threadIdx.x] = values[i];
    __syncthreads();
    for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
        float before = 0;
        if (threadIdx.x >= offset)
            before = buffer[threadIdx.x - offset];
        __syncthreads();
        buffer[threadIdx.x] = combine(buffer[threadIdx.x], before);
        __syncthreads();
    }
    scanned[i] = buffer[threadIdx.x];
}

__global__ void stencil(int, const float* values, float* result)
{
    __shared__ float part[BLOCK_SIZE + 2 * RADIUS];
    const Window sum{part, 2 * RADIUS + 1};
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    part[threadIdx.x] = values[i];
    if (threadIdx.x < 2 * RADIUS)
        part[threadIdx.x + BLOCK_SIZE] = values[i + BLOCK_SIZE];
    __syncthreads();
    result[i] = sum(threadIdx.x);
}

__global__ void histogram(int, const unsigned char* values, int* counts)
{
    __shared__ int part[BINS];
    const Bin bin{BINS, 1};
    part[threadIdx.x] = 0;
    __syncthreads();
    const int first = blockIdx.x * BLOCK_SIZE * PER_THREAD + threadIdx.x;
    for (int k = 0; k < PER_THREAD; ++k)
        atomicAdd(&part[bin(values[first + k * BLOCK_SIZE])], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}

__global__ void transpose(int n, const float* matrix, float* result)
{
    __shared__ float part[TILE][TILE + 1];
    const Matrix from{matrix, n};
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    part[threadIdx.y][threadIdx.x] = from(y + threadIdx.y, x + threadIdx.x);
    __syncthreads();
    result[(x + threadIdx.y) * n + y + threadIdx.x] = part[threadIdx.x][threadIdx.y];
}

__global__ void softmax(int, const float* values, float* result)
{
    __shared__ float partial[BLOCK_SIZE];
    const Larger larger{};
    const Plus plus{};
    const float* row = values + blockIdx.x * COLUMNS;
    float largest = row[threadIdx.x];
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        largest = larger(largest, row[k]);
    partial[threadIdx.x] = largest;
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            partial[threadIdx.x] = larger(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    const Exponential weight{partial[0], 1};
    __syncthreads();
    float sum = 0;
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        sum = plus(sum, weight(row[k]));
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            partial[threadIdx.x] = plus(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    const Exponential share{weight.largest, partial[0]};
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        result[blockIdx.x * COLUMNS + k] = share(row[k]);
}

__global__ void nbody(int n, const float* places, float* potentials)
{
    __shared__ float part[BLOCK_SIZE];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const Potential potential{places[i], 0.01f};
    float sum = 0;
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        part[threadIdx.x] = places[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK_SIZE; ++k)
            sum += potential(part[k]);
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
    for (int size = 2; size <= BLOCK_SIZE; size *= 2) {
        const IsMisplaced is_misplaced{size};
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = threadIdx.x ^ stride;
            if (other > threadIdx.x) {
                const float a = part[threadIdx.x], b = part[other];
                if (is_misplaced(threadIdx.x, a, b)) {
                    part[threadIdx.x] = b;
                    part[other] = a;
                }
            }
            __syncthreads();
        }
    }
    sorted[i] = part[threadIdx.x];
}

__global__ void jacobi(int n, const float* grid, float* result)
{
    __shared__ float part[TILE + 2][TILE + 2];
    const Mean<TILE + 2> mean{part, 0.25f};
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
    result[own] = mean(y, x);
}

} // namespace functors
