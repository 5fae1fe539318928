// Accesses to parts of words, to several words, and to volatile memory; orderings of many blocks.
#include "../planted/planted.hpp"

#include <cuda_fp16.h>

namespace {

template <bool is_correct>
__global__ void count_unaligned(char *sums) {
    atomicAdd(reinterpret_cast<int *>(sums + (is_correct ? 4 : 2)), 1);
}
PLANTED(misaligned_atomic_function, "KC104") {
    Zeros<char> sums(16);
    count_unaligned<is_correct><<<1, 32>>>(sums);
    finish();
}

template <class T, bool is_correct>
__global__ void reverse_shared(T *out) {
    __shared__ T tile[64];
    const int t = threadIdx.x;
    tile[t] = static_cast<T>(t);
    __syncwarp();
    if (is_correct) __syncthreads();
    out[t] = tile[t ^ 33];
}
PLANTED(bytes_of_another_warp, "KC201") {
    Zeros<char> out(64);
    reverse_shared<char, is_correct><<<1, 64>>>(out);
    finish();
}
PLANTED(halves_of_another_warp, "KC201") {
    Zeros<short> out(64);
    reverse_shared<short, is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void write_neighbors(__half *values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = __float2half(1.0f);
    if (!is_correct && threadIdx.x == 0 && i > 0) values[i - 1] = __float2half(2.0f);
}
PLANTED(half_of_another_block, "KC202") {
    Zeros<__half> values(129);
    write_neighbors<is_correct><<<2, 63>>>(values);
    finish();
}

template <bool is_correct>
__global__ void write_bytes_of_word(char *bytes, char *out) {
    if (blockIdx.x < 2)
        bytes[blockIdx.x] = 1;
    else
        out[0] = bytes[is_correct ? 2 : 0];
}
PLANTED(byte_behind_a_write_of_its_neighbor, "KC202") {
    Zeros<char> bytes(4), out(1);
    write_bytes_of_word<is_correct><<<3, 1>>>(bytes, out);
    finish();
}

template <bool is_correct>
__global__ void write_same_value(double *out) {
    out[is_correct ? threadIdx.x : threadIdx.x / 2] = 1.5;
}
PLANTED(same_value_of_two_words, "KC204") {
    Zeros<double> out(64);
    write_same_value<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void sum_in_last_block(int *parts, unsigned *count, int *out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 1;
        if (is_correct || blockIdx.x != 5) __threadfence();
        is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    int sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += parts[i];
    atomicAdd(out, sum);
}
PLANTED(one_of_many_blocks_without_fence, "KC202") {
    constexpr int blocks = 3000;
    Zeros<int> parts(blocks), out(1);
    Zeros<unsigned> number(1);
    sum_in_last_block<is_correct><<<blocks, 32>>>(parts, number, out);
    finish();
}

template <bool is_correct>
__global__ void pass_volatile(volatile int *data, int *flag, int *out) {
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = 42;
        __syncthreads();
        if (is_correct) __threadfence();
        if (t == 0) atomicExch(flag, 1);
    } else {
        while (t == 0 && atomicAdd(flag, 0) == 0) {
        }
        __syncthreads();
        out[t] = data[t];
    }
}
PLANTED(volatile_data_without_fence, "KC206") {
    Zeros<int> data(32), flag(1), out(32);
    pass_volatile<is_correct><<<2, 32>>>(data, flag, out);
    finish();
}

template <bool is_correct>
__global__ void count_in_lock(volatile int *counter, int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    if (is_correct) __threadfence();
    counter[0] += 1;
    if (is_correct) __threadfence();
    atomicExch(lock, 0);
}
PLANTED(lock_of_volatile_data_without_fence, "KC206") {
    Zeros<int> counter(1), lock(1);
    count_in_lock<is_correct><<<4, 1>>>(counter, lock);
    finish();
}

}  // namespace
