// The kernels of kernels.cu with several variables per declaration, pointers beside values, aliases,
// and auto.
#include "../sizes.hpp"

namespace merged {

typedef float Real;
using Index = int;
using Input = const Real*;

__global__ void nothing()
{
}

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    Index t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n) {
        Real left = x[i], right = y[i], *target = y + i;
        *target = a * left + right;
    }
}

__global__ void matmul_naive(int n, const float* a, const float* b, float* c)
{
    const Index row = blockIdx.y * blockDim.y + threadIdx.y,
                column = blockIdx.x * blockDim.x + threadIdx.x;
    Input left = a + row * n, top = b + column;
    Real sum = 0, *target = c + row * n + column;
    for (Index k = 0, place = 0; k < n; ++k, place += n)
        sum += left[k] * top[place];
    *target = sum;
}

__global__ void matmul_tiled(int n, const float* a, const float* b, float* c)
{
    __shared__ Real tile_a[TILE][TILE], tile_b[TILE][TILE];
    const Index x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y,
                column = blockIdx.x * TILE + x;
    Real sum = 0, *target = c + row * n + column;
    for (Index start = 0, end = n; start < end; start += TILE) {
        const Real left = a[row * n + start + x], right = b[(start + y) * n + column];
        tile_a[y][x] = left, tile_b[y][x] = right;
        __syncthreads();
        for (Index k = 0; k < TILE; ++k) {
            const auto p = tile_a[y][k], q = tile_b[k][x];
            sum += p * q;
        }
        __syncthreads();
    }
    *target = sum;
}

__global__ void matmul_large_tile(int n, const float* a, const float* b, float* c)
{
    __shared__ Real tile_a[LARGE_TILE][LARGE_TILE], tile_b[LARGE_TILE][LARGE_TILE];
    const auto x = threadIdx.x, y = threadIdx.y;
    const Index row = blockIdx.y * LARGE_TILE + y, column = blockIdx.x * LARGE_TILE + x;
    Real sum = 0, *target = c + row * n + column;
    Input left = a + row * n, top = b + column;
    for (Index start = 0, end = n; start < end; start += LARGE_TILE) {
        tile_a[y][x] = left[start + x], tile_b[y][x] = top[(start + y) * n];
        __syncthreads();
        for (Index k = 0; k < LARGE_TILE; ++k)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    *target = sum;
}

__global__ void block_sums(int, const float* values, float* sums)
{
    __shared__ Real partial[BLOCK_SIZE];
    const Index t = threadIdx.x, first = blockIdx.x * BLOCK_SIZE;
    Real value = values[first + t], *own = partial + t;
    *own = value;
    __syncthreads();
    for (Index width = BLOCK_SIZE / 2, end = 0; width > end; width /= 2) {
        if (t < width) {
            const Real a = own[0], b = own[width];
            *own = a + b;
        }
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = *partial;
}

__global__ void guarded_sums(int n, const float* values, float* sums)
{
    __shared__ Real partial[BLOCK_SIZE];
    const Index t = threadIdx.x, first = blockIdx.x * BLOCK_SIZE, i = first + t,
                count = min(BLOCK_SIZE, n - first);
    if (i >= n)
        return;
    partial[t] = values[i];
    __syncthreads();
    for (Index width = BLOCK_SIZE / 2, other = t + width; width > 0;
         width /= 2, other = t + width) {
        if (t < width && other < count)
            partial[t] += partial[other];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void warp_sums(int, const float* values, float* sums)
{
    __shared__ Real partial[BLOCK_SIZE / 32];
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, all = 0xffffffff;
    Real sum = values[blockIdx.x * BLOCK_SIZE + t], other;
    for (Index offset = 16; offset > 0; offset /= 2) {
        other = __shfl_down_sync(all, sum, offset);
        sum += other;
    }
    if (lane == 0)
        partial[warp] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < BLOCK_SIZE / 32 ? partial[t] : 0;
        for (Index offset = 16; offset > 0; offset /= 2) {
            other = __shfl_down_sync(all, sum, offset);
            sum += other;
        }
        if (t == 0)
            sums[blockIdx.x] = sum;
    }
}

__global__ void block_scan(int, const float* values, float* scanned)
{
    __shared__ Real buffer[BLOCK_SIZE];
    const Index t = threadIdx.x, i = blockIdx.x * BLOCK_SIZE + t;
    Real own = values[i], before = 0, *place = buffer + t;
    *place = own;
    __syncthreads();
    for (Index offset = 1, end = BLOCK_SIZE; offset < end; offset *= 2) {
        before = 0;
        if (t >= offset)
            before = place[-offset];
        __syncthreads();
        *place += before;
        __syncthreads();
    }
    scanned[i] = *place;
}

__global__ void stencil(int, const float* values, float* result)
{
    __shared__ Real part[BLOCK_SIZE + 2 * RADIUS];
    const Index t = threadIdx.x, i = blockIdx.x * BLOCK_SIZE + t, more = 2 * RADIUS;
    Real sum = 0, *own = part + t;
    *own = values[i];
    if (t < more)
        own[BLOCK_SIZE] = values[i + BLOCK_SIZE];
    __syncthreads();
    for (Index k = 0; k <= more; ++k)
        sum += own[k];
    result[i] = sum;
}

__global__ void histogram(int, const unsigned char* values, int* counts)
{
    __shared__ Index part[BINS];
    const Index t = threadIdx.x, first = blockIdx.x * BLOCK_SIZE * PER_THREAD + t;
    part[t] = 0;
    __syncthreads();
    for (Index k = 0, i = first; k < PER_THREAD; ++k, i += BLOCK_SIZE) {
        const auto value = values[i];
        atomicAdd(part + value, 1);
    }
    __syncthreads();
    Index count = part[t], *target = counts + t;
    atomicAdd(target, count);
}

__global__ void transpose(int n, const float* matrix, float* result)
{
    __shared__ Real part[TILE][TILE + 1];
    const Index tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE, y = blockIdx.y * TILE,
                from = (y + ty) * n + x + tx, to = (x + ty) * n + y + tx;
    part[ty][tx] = matrix[from];
    __syncthreads();
    result[to] = part[tx][ty];
}

__global__ void softmax(int, const float* values, float* result)
{
    __shared__ Real partial[BLOCK_SIZE];
    const Index t = threadIdx.x, first = blockIdx.x * COLUMNS;
    Input row = values + first;
    Real largest = row[t], sum = 0, *own = partial + t, *target = result + first;
    for (Index k = t; k < COLUMNS; k += BLOCK_SIZE)
        largest = fmaxf(largest, row[k]);
    *own = largest;
    __syncthreads();
    for (Index width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (t < width) {
            const Real a = own[0], b = own[width];
            *own = fmaxf(a, b);
        }
        __syncthreads();
    }
    largest = *partial;
    __syncthreads();
    for (Index k = t; k < COLUMNS; k += BLOCK_SIZE)
        sum += expf(row[k] - largest);
    *own = sum;
    __syncthreads();
    for (Index width = BLOCK_SIZE / 2; width > 0; width /= 2) {
        if (t < width) {
            const Real a = own[0], b = own[width];
            *own = a + b;
        }
        __syncthreads();
    }
    sum = *partial;
    for (Index k = t; k < COLUMNS; k += BLOCK_SIZE)
        target[k] = expf(row[k] - largest) / sum;
}

__global__ void nbody(int n, const float* places, float* potentials)
{
    __shared__ Real part[BLOCK_SIZE];
    const Index t = threadIdx.x, i = blockIdx.x * BLOCK_SIZE + t;
    Real own = places[i], sum = 0, distance, square;
    for (Index start = 0, end = n; start < end; start += BLOCK_SIZE) {
        part[t] = places[start + t];
        __syncthreads();
        for (Index k = 0; k < BLOCK_SIZE; ++k) {
            distance = part[k] - own, square = distance * distance;
            sum += 1 / (square + 0.01f);
        }
        __syncthreads();
    }
    potentials[i] = sum;
}

__global__ void bitonic_sort(int, const float* values, float* sorted)
{
    __shared__ Real part[BLOCK_SIZE];
    const Index t = threadIdx.x, i = blockIdx.x * BLOCK_SIZE + t;
    part[t] = values[i];
    __syncthreads();
    for (Index size = 2; size <= BLOCK_SIZE; size *= 2)
        for (Index stride = size / 2, other; stride > 0; stride /= 2) {
            other = t ^ stride;
            if (other > t) {
                Real *left = part + t, *right = part + other, a = *left, b = *right;
                if ((a > b) == ((t & size) == 0))
                    *left = b, *right = a;
            }
            __syncthreads();
        }
    sorted[i] = part[t];
}

__global__ void jacobi(int n, const float* grid, float* result)
{
    __shared__ Real part[TILE + 2][TILE + 2];
    const Index tx = threadIdx.x, ty = threadIdx.y, x = tx + 1, y = ty + 1, width = n + 2,
                own = (blockIdx.y * TILE + y) * width + blockIdx.x * TILE + x;
    Input center = grid + own, above = center - width, below = center + width;
    part[y][x] = *center;
    if (tx == 0)
        part[y][0] = center[-1];
    if (tx == TILE - 1)
        part[y][TILE + 1] = center[1];
    if (ty == 0)
        part[0][x] = *above;
    if (ty == TILE - 1)
        part[TILE + 1][x] = *below;
    __syncthreads();
    const Real left = part[y][x - 1], right = part[y][x + 1], top = part[y - 1][x],
               bottom = part[y + 1][x];
    result[own] = (left + right + top + bottom) / 4;
}

} // namespace merged
