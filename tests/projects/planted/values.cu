// Barriers that some threads miss, memory that nobody has written or freed, and arithmetic.
#include "planted.hpp"

namespace {

template <bool is_correct>
__global__ void half_barrier(int *out) {
    if (is_correct || threadIdx.x < 32) __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}
PLANTED(barrier_for_half_of_the_threads, "KC301") {
    Zeros<int> out(64);
    half_barrier<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void early_return(int *out, int count) {
    const int i = threadIdx.x;
    __shared__ int tile[64];
    if (!is_correct && i >= count) return;
    tile[i] = i;
    __syncthreads();
    if (i < count) out[i] = tile[count - 1 - i];
}
PLANTED(return_before_barrier, "KC301") {
    Zeros<int> out(64);
    early_return<is_correct><<<1, 64>>>(out, 50);
    finish();
}

template <bool is_correct>
__global__ void two_barriers(int *out) {
    if (is_correct) {
        __syncthreads();
        out[threadIdx.x] = 1;
    } else if (threadIdx.x % 64 < 32) {
        out[threadIdx.x] = 2;
        __syncthreads();
    } else {
        __syncthreads();
        out[threadIdx.x] = 3;
    }
}
PLANTED(barriers_in_both_branches, "KC302") {
    Zeros<int> out(64);
    two_barriers<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void loop_barrier(int *out) {
    const int rounds = is_correct ? 4 : 4 + threadIdx.x / 32;
    for (int i = 0; i < rounds; ++i) __syncthreads();
    out[threadIdx.x] = rounds;
}
PLANTED(barrier_in_a_loop_of_different_length, "KC301") {
    Zeros<int> out(64);
    loop_barrier<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void wrong_mask(int *out) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(is_correct ? 0xFFFFu : 0xFFFF0000u, threadIdx.x, 0);
}
PLANTED(mask_without_the_caller, "KC303") {
    Zeros<int> out(32);
    wrong_mask<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void read_fresh(const int *in, int *out) {
    out[threadIdx.x] = in[threadIdx.x];
}
PLANTED(device_memory_that_nobody_wrote, "KC401") {
    int *in = nullptr;
    cudaMalloc(&in, 32 * sizeof *in);
    if (is_correct) cudaMemset(in, 0, 32 * sizeof *in);
    Zeros<int> out(32);
    read_fresh<is_correct><<<1, 32>>>(in, out);
    finish();
    cudaFree(in);
}
PLANTED(device_memory_that_is_written_partly, "KC401") {
    int *in = nullptr;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, (is_correct ? 64 : 50) * sizeof *in);
    Zeros<int> out(64);
    read_fresh<is_correct><<<1, 64>>>(in, out);
    finish();
    cudaFree(in);
}

template <bool is_correct>
__global__ void accumulate(float *sum) {
    sum[threadIdx.x] += 1.0f;
}
PLANTED(sum_that_starts_anywhere, "KC401") {
    float *sum = nullptr;
    cudaMalloc(&sum, 32 * sizeof *sum);
    if (is_correct) cudaMemset(sum, 0, 32 * sizeof *sum);
    accumulate<is_correct><<<1, 32>>>(sum);
    finish();
    cudaFree(sum);
}

template <bool is_correct>
__global__ void read_shared(int *out) {
    __shared__ int counts[64];
    if (is_correct) {
        counts[threadIdx.x] = 0;
        __syncthreads();
    }
    atomicAdd(&counts[threadIdx.x], 1);
    __syncthreads();
    out[threadIdx.x] = counts[threadIdx.x];
}
PLANTED(shared_counters_without_zeros, "KC402") {
    Zeros<int> out(64);
    read_shared<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void read_halo(int *out) {
    __shared__ int tile[66];
    tile[threadIdx.x + 1] = threadIdx.x;
    if (is_correct && threadIdx.x == 0) tile[0] = tile[65] = 0;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}
PLANTED(halo_without_values, "KC402") {
    Zeros<int> out(64);
    read_halo<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void read_dynamic(int *out) {
    extern __shared__ int memory[];
    if (is_correct) memory[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] = memory[threadIdx.x];
}
PLANTED(dynamic_memory_that_nobody_wrote, "KC402") {
    Zeros<int> out(32);
    read_dynamic<is_correct><<<1, 32, 128>>>(out);
    finish();
}

template <bool is_correct>
__global__ void nothing(int *data) {
    if (data != nullptr && threadIdx.x == 0) *data = 1;
}
PLANTED(device_memory_is_not_freed, "KC501") {
    int *data = nullptr;
    cudaMalloc(&data, 64);
    nothing<is_correct><<<1, 32>>>(data);
    finish();
    if (is_correct) cudaFree(data);
}
PLANTED(page_locked_memory_is_not_freed, "KC501") {
    int *data = nullptr;
    cudaMallocHost(&data, 64);
    Zeros<int> out(1);
    nothing<is_correct><<<1, 32>>>(out);
    finish();
    if (is_correct) cudaFreeHost(data);
}
PLANTED(managed_memory_is_not_freed, "KC501") {
    int *data = nullptr;
    cudaMallocManaged(&data, 64);
    nothing<is_correct><<<1, 32>>>(data);
    finish();
    if (is_correct) cudaFree(data);
}
PLANTED(memory_of_a_stream_is_not_freed, "KC501") {
    int *data = nullptr;
    cudaMallocAsync(&data, 64, nullptr);
    nothing<is_correct><<<1, 32>>>(data);
    if (is_correct) cudaFreeAsync(data, nullptr);
    finish();
}

template <bool is_correct>
__global__ void shift(const int *in, unsigned *out) {
    const int bits = in[threadIdx.x] + (is_correct ? 0 : 32);
    out[threadIdx.x] = 1u << bits;
}
PLANTED(shift_by_the_width, "KC601") {
    Zeros<int> in(32);
    Zeros<unsigned> out(32);
    shift<is_correct><<<1, 32>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void shift_right(const int *in, long long *out) {
    const int bits = in[threadIdx.x] - (is_correct ? 0 : 1);
    out[threadIdx.x] = 256ll >> bits;
}
PLANTED(shift_by_a_negative_number, "KC601") {
    Zeros<int> in(32);
    Zeros<long long> out(32);
    shift_right<is_correct><<<1, 32>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void divide(const int *in, int *out) {
    const int divisor = in[threadIdx.x];
    if (!is_correct || divisor != 0) out[threadIdx.x] = 100 / divisor;
}
PLANTED(division_by_zero, "KC602") {
    Zeros<int> in(32), out(32);
    divide<is_correct><<<1, 32>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void modulo(const unsigned *in, unsigned *out) {
    const unsigned divisor = in[threadIdx.x];
    if (!is_correct || divisor != 0) out[threadIdx.x] = threadIdx.x % divisor;
}
PLANTED(remainder_of_zero, "KC602") {
    Zeros<unsigned> in(32), out(32);
    modulo<is_correct><<<1, 32>>>(in, out);
    finish();
}

}  // namespace
