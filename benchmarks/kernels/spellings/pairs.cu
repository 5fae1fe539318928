// The kernels of kernels.cu with structs for values that belong together: float2, int2, and those
// of a project.
#include "../sizes.hpp"

namespace pairs {

// A row and a column.
struct Place {
    int row;
    int column;
};

// An element of a vector, and of its block.
struct Element {
    int global;
    int local;
};

struct Operands {
    float left;
    float right;
};

struct Largest {
    float value;
    int column;
};

struct Sums {
    float sum;
    float sum2;
};

struct Ordered {
    float low;
    float high;
};

struct Body {
    float place;
    float potential;
};

struct Neighbors {
    float2 across;
    float2 along;
};

__device__ inline Largest larger(Largest a, Largest b)
{
    return a.value < b.value ? b : a;
}

__device__ inline Sums operator+(Sums a, Sums b)
{
    return {a.sum + b.sum, a.sum2 + b.sum2};
}

__device__ inline Ordered order(float a, float b)
{
    return {fminf(a, b), fmaxf(a, b)};
}

__global__ void nothing()
{
}

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    const int2 index = make_int2(blockIdx.x * blockDim.x + threadIdx.x, n);
    if (index.x < index.y) {
        const float2 pair = make_float2(x[index.x], y[index.x]);
        y[index.x] = a * pair.x + pair.y;
    }
}

__global__ void matmul_naive(int n, const float* a, const float* b, float* c)
{
    const Place place = {int(blockIdx.y * blockDim.y + threadIdx.y),
                         int(blockIdx.x * blockDim.x + threadIdx.x)};
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        const Operands pair = {a[place.row * n + k], b[k * n + place.column]};
        sum += pair.left * pair.right;
    }
    c[place.row * n + place.column] = sum;
}

__global__ void matmul_tiled(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const int2 thread = make_int2(threadIdx.x, threadIdx.y);
    const Place place = {int(blockIdx.y) * TILE + thread.y, int(blockIdx.x) * TILE + thread.x};
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {
        tile_a[thread.y][thread.x] = a[place.row * n + start + thread.x];
        tile_b[thread.y][thread.x] = b[(start + thread.y) * n + place.column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            const Operands pair = {tile_a[thread.y][k], tile_b[k][thread.x]};
            sum += pair.left * pair.right;
        }
        __syncthreads();
    }
    c[place.row * n + place.column] = sum;
}

__global__ void matmul_large_tile(int n, const float* a, const float* b, float* c)
{
    __shared__ float tile_a[LARGE_TILE][LARGE_TILE];
    __shared__ float tile_b[LARGE_TILE][LARGE_TILE];
    const int2 thread = make_int2(threadIdx.x, threadIdx.y);
    Place place;
    place.row = blockIdx.y * LARGE_TILE + thread.y;
    place.column = blockIdx.x * LARGE_TILE + thread.x;
    float sum = 0;
    for (int start = 0; start < n; start += LARGE_TILE) {
        tile_a[thread.y][thread.x] = a[place.row * n + start + thread.x];
        tile_b[thread.y][thread.x] = b[(start + thread.y) * n + place.column];
        __syncthreads();
        for (int k = 0; k < LARGE_TILE; ++k) {
            const float2 pair = {tile_a[thread.y][k], tile_b[k][thread.x]};
            sum += pair.x * pair.y;
        }
        __syncthreads();
    }
    c[place.row * n + place.column] = sum;
}

// Half of the threads have two sums each.
__global__ void block_sums(int, const float* values, float* sums)
{
    __shared__ Sums partial[BLOCK_SIZE / 2];
    const float* first = values + blockIdx.x * BLOCK_SIZE;
    if (threadIdx.x < BLOCK_SIZE / 2)
        partial[threadIdx.x] = {first[threadIdx.x], first[threadIdx.x + BLOCK_SIZE / 2]};
    __syncthreads();
    for (int width = BLOCK_SIZE / 4; width > 0; width /= 2) {
        if (threadIdx.x < width)
            partial[threadIdx.x] = partial[threadIdx.x] + partial[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0].sum + partial[0].sum2;
}

__global__ void guarded_sums(int n, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE];
    const Element own = {int(blockIdx.x * BLOCK_SIZE + threadIdx.x), int(threadIdx.x)};
    const int2 limits = make_int2(n, min(BLOCK_SIZE, n - int(blockIdx.x) * BLOCK_SIZE));
    if (own.global >= limits.x)
        return;
    partial[own.local] = values[own.global];
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (own.local < width && own.local + width < limits.y) {
            const Operands pair = {partial[own.local], partial[own.local + width]};
            partial[own.local] = pair.left + pair.right;
        }
        __syncthreads();
    }
    if (own.local == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void warp_sums(int, const float* values, float* sums)
{
    __shared__ float partial[BLOCK_SIZE / 32];
    const int2 place = make_int2(threadIdx.x / 32, threadIdx.x % 32);
    float2 pair = make_float2(values[blockIdx.x * BLOCK_SIZE + threadIdx.x], 0);
    for (int offset = 16; offset > 0; offset /= 2) {
        pair.y = __shfl_down_sync(0xffffffff, pair.x, offset);
        pair.x += pair.y;
    }
    if (place.y == 0)
        partial[place.x] = pair.x;
    __syncthreads();
    if (threadIdx.x < 32) {
        pair.x = threadIdx.x < BLOCK_SIZE / 32 ? partial[threadIdx.x] : 0;
        for (int offset = 16; offset > 0; offset /= 2) {
            pair.y = __shfl_down_sync(0xffffffff, pair.x, offset);
            pair.x += pair.y;
        }
        if (threadIdx.x == 0)
            sums[blockIdx.x] = pair.x;
    }
}

__global__ void block_scan(int, const float* values, float* scanned)
{
    __shared__ float buffer[BLOCK_SIZE];
    const Element own = {int(blockIdx.x * BLOCK_SIZE + threadIdx.x), int(threadIdx.x)};
    buffer[own.local] = values[own.global];
    __syncthreads();
    for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
        Operands pair = {0, 0};
        if (own.local >= offset)
            pair.left = buffer[own.local - offset];
        pair.right = buffer[own.local];
        __syncthreads();
        buffer[own.local] = pair.left + pair.right;
        __syncthreads();
    }
    scanned[own.global] = buffer[own.local];
}

__global__ void stencil(int, const float* values, float* result)
{
    __shared__ float part[BLOCK_SIZE + 2 * RADIUS];
    const Element own = {int(blockIdx.x * BLOCK_SIZE + threadIdx.x), int(threadIdx.x)};
    part[own.local] = values[own.global];
    if (own.local < 2 * RADIUS)
        part[own.local + BLOCK_SIZE] = values[own.global + BLOCK_SIZE];
    __syncthreads();
    // Of the left half with the center, and of the right half.
    Sums sums = {part[own.local + RADIUS], 0};
    for (int k = 0; k < RADIUS; ++k) {
        sums.sum += part[own.local + k];
        sums.sum2 += part[own.local + RADIUS + 1 + k];
    }
    result[own.global] = sums.sum + sums.sum2;
}

__global__ void histogram(int, const unsigned char* values, int* counts)
{
    __shared__ int part[BINS];
    const Element own = {int(blockIdx.x * BLOCK_SIZE * PER_THREAD + threadIdx.x), int(threadIdx.x)};
    part[own.local] = 0;
    __syncthreads();
    for (int k = 0; k < PER_THREAD; ++k) {
        const int2 entry = make_int2(values[own.global + k * BLOCK_SIZE], 1);
        atomicAdd(&part[entry.x], entry.y);
    }
    __syncthreads();
    atomicAdd(&counts[own.local], part[own.local]);
}

__global__ void transpose(int n, const float* matrix, float* result)
{
    __shared__ float part[TILE][TILE + 1];
    const int2 thread = make_int2(threadIdx.x, threadIdx.y);
    const Place corner = {int(blockIdx.y) * TILE, int(blockIdx.x) * TILE};
    const Place from = {corner.row + thread.y, corner.column + thread.x};
    const Place to = {corner.column + thread.y, corner.row + thread.x};
    part[thread.y][thread.x] = matrix[from.row * n + from.column];
    __syncthreads();
    result[to.row * n + to.column] = part[thread.x][thread.y];
}

__global__ void softmax(int, const float* values, float* result)
{
    __shared__ Largest partial[BLOCK_SIZE];
    __shared__ float sums[BLOCK_SIZE];
    const float* row = values + blockIdx.x * COLUMNS;
    Largest largest = {row[threadIdx.x], int(threadIdx.x)};
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        largest = larger(largest, {row[k], k});
    partial[threadIdx.x] = largest;
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            partial[threadIdx.x] = larger(partial[threadIdx.x], partial[threadIdx.x + width]);
        __syncthreads();
    }
    // Of the value, and of the exponential functions.
    float2 range = make_float2(row[partial[0].column], 0);
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        range.y += expf(row[k] - range.x);
    sums[threadIdx.x] = range.y;
    __syncthreads();
    for (int width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            sums[threadIdx.x] += sums[threadIdx.x + width];
        __syncthreads();
    }
    range.y = sums[0];
    for (int k = threadIdx.x; k < COLUMNS; k += BLOCK_SIZE)
        result[blockIdx.x * COLUMNS + k] = expf(row[k] - range.x) / range.y;
}

__global__ void nbody(int n, const float* places, float* potentials)
{
    __shared__ float part[BLOCK_SIZE];
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Body body = {places[i], 0};
    for (int start = 0; start < n; start += BLOCK_SIZE) {
        part[threadIdx.x] = places[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK_SIZE; ++k) {
            const float distance = part[k] - body.place;
            body.potential += 1 / (distance * distance + 0.01f);
        }
        __syncthreads();
    }
    potentials[i] = body.potential;
}

__global__ void bitonic_sort(int, const float* values, float* sorted)
{
    __shared__ float part[BLOCK_SIZE];
    const Element own = {int(blockIdx.x * BLOCK_SIZE + threadIdx.x), int(threadIdx.x)};
    part[own.local] = values[own.global];
    __syncthreads();
    for (int size = 2; size <= BLOCK_SIZE; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int2 both = make_int2(own.local, own.local ^ stride);
            if (both.y > both.x) {
                const Ordered pair = order(part[both.x], part[both.y]);
                const bool is_ascending = (both.x & size) == 0;
                part[both.x] = is_ascending ? pair.low : pair.high;
                part[both.y] = is_ascending ? pair.high : pair.low;
            }
            __syncthreads();
        }
    sorted[own.global] = part[own.local];
}

__global__ void jacobi(int n, const float* grid, float* result)
{
    __shared__ float part[TILE + 2][TILE + 2];
    const int width = n + 2;
    const int2 thread = make_int2(threadIdx.x + 1, threadIdx.y + 1);
    const Place place = {int(blockIdx.y) * TILE + thread.y, int(blockIdx.x) * TILE + thread.x};
    const int own = place.row * width + place.column;
    part[thread.y][thread.x] = grid[own];
    if (threadIdx.x == 0)
        part[thread.y][0] = grid[own - 1];
    if (threadIdx.x == TILE - 1)
        part[thread.y][TILE + 1] = grid[own + 1];
    if (threadIdx.y == 0)
        part[0][thread.x] = grid[own - width];
    if (threadIdx.y == TILE - 1)
        part[TILE + 1][thread.x] = grid[own + width];
    __syncthreads();
    const Neighbors all = {{part[thread.y][thread.x - 1], part[thread.y][thread.x + 1]},
                           {part[thread.y - 1][thread.x], part[thread.y + 1][thread.x]}};
    result[own] = (all.across.x + all.across.y + all.along.x + all.along.y) / 4;
}

} // namespace pairs
