// Barriers of a block, and fences.
#include "blocks.hpp"

namespace {

__global__ void test___syncthreads(int* out) {
    __shared__ int values[128];
    values[threadIdx.x] = threadIdx.x + blockIdx.x;
    __syncthreads();
    for (unsigned int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += 3 * values[threadIdx.x + half];
        __syncthreads();
    }
    out[THREAD] = values[threadIdx.x];
}

#define VOTE(name)                                                                            \
    __global__ void test_##name(int* out) {                                                   \
        for (int i = 0; i < 6; ++i)                                                           \
            out[6 * THREAD + i] = name(i == 0 ? 0 : i == 1 ? -1 : threadIdx.x % i == blockIdx.x); \
    }
VOTE(__syncthreads_count)

// The results of these two are only zero or not zero.
#define BOOLEAN_VOTE(name)                                                                        \
    __global__ void test_##name(int* out) {                                                       \
        for (int i = 0; i < 6; ++i)                                                               \
            out[6 * THREAD + i] =                                                                 \
                name(i == 0 ? 0 : i == 1 ? -1 : threadIdx.x + i * 20 < 150 - blockIdx.x) != 0;    \
    }
BOOLEAN_VOTE(__syncthreads_and)
BOOLEAN_VOTE(__syncthreads_or)

// Some threads exit before the others meet.
__global__ void test_exited_threads(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x >= 64) return;
    atomicAdd(&sum, static_cast<int>(threadIdx.x));
    __syncthreads();
    out[THREAD] = sum;
}

// Warps pass barriers and warp operations in turn.
__global__ void test_mixed_with_warp_operations(int* out) {
    __shared__ int totals[4];
    int value = threadIdx.x * 7 % 31;
    for (int i = 0; i < 10; ++i) {
        const int sum = __reduce_add_sync(0xffffffffu, value);
        if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = sum;
        __syncthreads();
        value += totals[(threadIdx.x / 32 + 1) % 4] % 1000;
        __syncthreads();
    }
    out[THREAD] = value;
}

// The last block to finish sees what all others have written.
__device__ unsigned finished;
__device__ volatile int partial[64];
template <bool is_system>
__global__ void test_fence(int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = (blockIdx.x + 1) * 11;
        if (is_system)
            __threadfence_system();
        else
            __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    int sum = 0;
    for (unsigned int i = 0; i < gridDim.x; ++i) sum += partial[i];
    out[threadIdx.x] = sum;
}

// Within a warp, the order of two writes is visible after a fence.
__global__ void test___threadfence_block(int* out) {
    __shared__ volatile int data, flag;
    if (threadIdx.x == 0) data = flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        __threadfence_block();
        flag = 1;
    }
    __syncthreads();
    out[THREAD] = flag == 1 ? data : -1;
}

}  // namespace

int main() {
    using conformance::run_blocks;
    run_blocks("__syncthreads", test___syncthreads, 3, 128);
    run_blocks("__syncthreads_count", test___syncthreads_count, 3, 100, 6);
    run_blocks("__syncthreads_and", test___syncthreads_and, 3, 100, 6);
    run_blocks("__syncthreads_or", test___syncthreads_or, 3, 100, 6);
    run_blocks("exited_threads", test_exited_threads, 3, 100);
    run_blocks("mixed_with_warp_operations", test_mixed_with_warp_operations, 3, 128);
    run_blocks("__threadfence", test_fence<false>, 64, 32);
    run_blocks("__threadfence_system", test_fence<true>, 64, 32);
    run_blocks("__threadfence_block", test___threadfence_block);
}
