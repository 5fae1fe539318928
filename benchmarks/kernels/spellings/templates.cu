// The kernels of kernels.cu as templates on types and sizes, with macros for loops, barriers, and
// indices.
#include "templates.hpp"

#define SYNC() __syncthreads()
#define DIVUP(n, d) (((n) + (d) - 1) / (d))
#define GLOBAL_INDEX() (blockIdx.x * blockDim.x + threadIdx.x)
#define CUDA_KERNEL_LOOP(i, n)                                                                     \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define BLOCK_LOOP(k, n) for (int k = threadIdx.x; k < (n); k += block)
#define FOR_TILES(index, n, size) for (int index = 0; index < DIVUP(n, size); ++index)
#define FULL_MASK 0xffffffffu
#define WARP_SIZE 32
// Combines the elements of an array of the block.
#define BLOCK_REDUCE(array, COMBINE)                                                               \
    for (int width = block / 2; width > 0; width /= 2) {                                           \
        if (threadIdx.x < width)                                                                   \
            (array)[threadIdx.x] = COMBINE((array)[threadIdx.x], (array)[threadIdx.x + width]);    \
        SYNC();                                                                                    \
    }
#define WARP_REDUCE(value)                                                                         \
    do {                                                                                           \
        for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)                                  \
            (value) += __shfl_down_sync(FULL_MASK, value, offset);                                 \
    } while (0)
#define PLUS(a, b) ((a) + (b))
#define MAXIMUM(a, b) fmaxf(a, b)

namespace templates {

__global__ void nothing()
{
}

template <class T>
__global__ void saxpy(int n, T a, const T* x, T* y)
{
    CUDA_KERNEL_LOOP(i, n)
    {
        y[i] = a * x[i] + y[i];
    }
}

template <class T>
__global__ void matmul_naive(int n, const T* a, const T* b, T* c)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

template <class T, int tile>
__global__ void matmul(int n, const T* a, const T* b, T* c)
{
    __shared__ T tile_a[tile][tile];
    __shared__ T tile_b[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    T sum = T(0);
    FOR_TILES(index, n, tile)
    {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + index * tile + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(index * tile + threadIdx.y) * n + column];
        SYNC();
#pragma unroll
        for (int k = 0; k < tile; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        SYNC();
    }
    c[row * n + column] = sum;
}

template <class T, int block>
__global__ void block_sums(int, const T* values, T* sums)
{
    __shared__ T partial[block];
    partial[threadIdx.x] = values[GLOBAL_INDEX()];
    SYNC();
    BLOCK_REDUCE(partial, PLUS);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

template <class T, int block>
__global__ void guarded_sums(int n, const T* values, T* sums)
{
    __shared__ T partial[block];
    const int i = GLOBAL_INDEX();
    const int count = min(block, n - int(blockIdx.x) * block);
    if (i >= n)
        return;
    partial[threadIdx.x] = values[i];
    SYNC();
#pragma unroll
    for (int width = block / 2; width > 0; width /= 2) {
        if (threadIdx.x < width && threadIdx.x + width < count)
            partial[threadIdx.x] += partial[threadIdx.x + width];
        SYNC();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

template <class T, int block>
__global__ void warp_sums(int, const T* values, T* sums)
{
    __shared__ T partial[block / WARP_SIZE];
    T sum = values[GLOBAL_INDEX()];
    WARP_REDUCE(sum);
    if (threadIdx.x % WARP_SIZE == 0)
        partial[threadIdx.x / WARP_SIZE] = sum;
    SYNC();
    if (threadIdx.x < WARP_SIZE) {
        sum = threadIdx.x < block / WARP_SIZE ? partial[threadIdx.x] : T(0);
        WARP_REDUCE(sum);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

template <class T, int block>
__global__ void block_scan(int, const T* values, T* scanned)
{
    __shared__ T buffer[block];
    const int i = GLOBAL_INDEX();
    buffer[threadIdx.x] = values[i];
    SYNC();
#pragma unroll
    for (int offset = 1; offset < block; offset *= 2) {
        T before = T(0);
        if (threadIdx.x >= offset)
            before = buffer[threadIdx.x - offset];
        SYNC();
        buffer[threadIdx.x] += before;
        SYNC();
    }
    scanned[i] = buffer[threadIdx.x];
}

template <class T, int block, int radius>
__global__ void stencil(int, const T* values, T* result)
{
    __shared__ T part[block + 2 * radius];
    const int i = GLOBAL_INDEX();
    part[threadIdx.x] = values[i];
    if (threadIdx.x < 2 * radius)
        part[threadIdx.x + block] = values[i + block];
    SYNC();
    T sum = T(0);
#pragma unroll
    for (int k = 0; k <= 2 * radius; ++k)
        sum += part[threadIdx.x + k];
    result[i] = sum;
}

template <class T, int block, int bins>
__global__ void histogram(int, const T* values, int* counts)
{
    __shared__ int part[bins];
    BLOCK_LOOP(bin, bins)
        part[bin] = 0;
    SYNC();
    const int first = blockIdx.x * block * PER_THREAD + threadIdx.x;
    for (int k = 0; k < PER_THREAD; ++k)
        atomicAdd(&part[values[first + k * block]], 1);
    SYNC();
    BLOCK_LOOP(bin, bins)
        atomicAdd(&counts[bin], part[bin]);
}

template <class T, int tile>
__global__ void transpose(int n, const T* matrix, T* result)
{
    __shared__ T part[tile][tile + 1];
    const int x = blockIdx.x * tile, y = blockIdx.y * tile;
    part[threadIdx.y][threadIdx.x] = matrix[(y + threadIdx.y) * n + x + threadIdx.x];
    SYNC();
    result[(x + threadIdx.y) * n + y + threadIdx.x] = part[threadIdx.x][threadIdx.y];
}

template <class T, int block, int columns>
__global__ void softmax(int, const T* values, T* result)
{
    __shared__ T partial[block];
    const T* row = values + blockIdx.x * columns;
    T largest = row[threadIdx.x];
    BLOCK_LOOP(k, columns)
        largest = MAXIMUM(largest, row[k]);
    partial[threadIdx.x] = largest;
    SYNC();
    BLOCK_REDUCE(partial, MAXIMUM);
    largest = partial[0];
    SYNC();
    T sum = T(0);
    BLOCK_LOOP(k, columns)
        sum += expf(row[k] - largest);
    partial[threadIdx.x] = sum;
    SYNC();
    BLOCK_REDUCE(partial, PLUS);
    sum = partial[0];
    BLOCK_LOOP(k, columns)
        result[blockIdx.x * columns + k] = expf(row[k] - largest) / sum;
}

template <class T, int block>
__global__ void nbody(int n, const T* places, T* potentials)
{
    __shared__ T part[block];
    const int i = GLOBAL_INDEX();
    const T own = places[i];
    T sum = T(0);
    FOR_TILES(index, n, block)
    {
        part[threadIdx.x] = places[index * block + threadIdx.x];
        SYNC();
        for (int k = 0; k < block; ++k) {
            const T distance = part[k] - own;
            sum += T(1) / (distance * distance + T(0.01));
        }
        SYNC();
    }
    potentials[i] = sum;
}

template <class T, int block>
__global__ void bitonic_sort(int, const T* values, T* sorted)
{
    __shared__ T part[block];
    const int i = GLOBAL_INDEX();
    part[threadIdx.x] = values[i];
    SYNC();
    for (int size = 2; size <= block; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = threadIdx.x ^ stride;
            if (other > threadIdx.x) {
                const T a = part[threadIdx.x], b = part[other];
                if ((a > b) == ((threadIdx.x & size) == 0)) {
                    part[threadIdx.x] = b;
                    part[other] = a;
                }
            }
            SYNC();
        }
    sorted[i] = part[threadIdx.x];
}

template <class T, int tile>
__global__ void jacobi(int n, const T* grid, T* result)
{
    __shared__ T part[tile + 2][tile + 2];
    const int width = n + 2;
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int own = (blockIdx.y * tile + y) * width + blockIdx.x * tile + x;
    part[y][x] = grid[own];
    if (threadIdx.x == 0)
        part[y][0] = grid[own - 1];
    if (threadIdx.x == tile - 1)
        part[y][tile + 1] = grid[own + 1];
    if (threadIdx.y == 0)
        part[0][x] = grid[own - width];
    if (threadIdx.y == tile - 1)
        part[tile + 1][x] = grid[own + width];
    SYNC();
    result[own] = (part[y][x - 1] + part[y][x + 1] + part[y - 1][x] + part[y + 1][x]) / T(4);
}

INSTANCES(template __global__)

} // namespace templates
