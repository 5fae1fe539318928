// Accesses that nothing orders.
#include "planted.hpp"

#include <cooperative_groups.h>

namespace {

template <bool is_correct>
__global__ void reverse(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (is_correct) __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
PLANTED(read_before_others_write, "KC201") {
    Zeros<int> out(64);
    reverse<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void reduce(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) sums[t] += sums[t + step];
        if (is_correct) __syncthreads();
    }
    if (t == 0) *out = sums[0];
}
PLANTED(reduction_without_barrier, "KC201") {
    Zeros<int> in(256), out(1);
    reduce<is_correct><<<1, 256>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void scan(const int *in, int *out) {
    __shared__ int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        const int left = t >= step ? sums[t - step] : 0;
        if (is_correct) __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    out[t] = sums[t];
}
PLANTED(scan_with_one_barrier, "KC201") {
    Zeros<int> in(128), out(128);
    scan<is_correct><<<1, 128>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void reuse_tile(const int *in, int *out) {
    __shared__ int tile[64];
    int sum = 0;
    for (int part = 0; part < 4; ++part) {
        tile[threadIdx.x] = in[64 * part + threadIdx.x];
        __syncthreads();
        sum += tile[(threadIdx.x + 40) % 64];
        if (is_correct) __syncthreads();
    }
    out[threadIdx.x] = sum;
}
PLANTED(tile_written_again_too_early, "KC201") {
    Zeros<int> in(256), out(64);
    reuse_tile<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void count_in_bytes(int *out) {
    __shared__ int words[8];
    auto *const bytes = reinterpret_cast<unsigned char *>(words);
    if (threadIdx.x < 8) words[threadIdx.x] = 0;
    if (is_correct) __syncwarp();
    ++bytes[threadIdx.x];
    ++bytes[threadIdx.x];
    __syncwarp();
    if (threadIdx.x < 8) out[threadIdx.x] = words[threadIdx.x];
}
PLANTED(bytes_of_words_that_others_clear, "KC203") {
    Zeros<int> out(8);
    count_in_bytes<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void count_in_shared(int *out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (is_correct) atomicAdd(&count, 1);
    else count += 1;
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}
PLANTED(count_without_atomic, "KC203") {
    Zeros<int> out(1);
    count_in_shared<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void set_in_shared(int *out) {
    __shared__ int value;
    if (threadIdx.x == 0) value = 5;
    if (is_correct) __syncthreads();
    out[threadIdx.x] = value;
}
PLANTED(broadcast_without_barrier, "KC203") {
    Zeros<int> out(64);
    set_in_shared<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void sum_into(const int *in, int *sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (is_correct) atomicAdd(sum, in[i]);
    else if (threadIdx.x == 0) *sum += in[i] + 1;
}
PLANTED(sum_of_blocks_without_atomic, "KC202") {
    Zeros<int> in(256), sum(1);
    sum_into<is_correct><<<4, 64>>>(in, sum);
    finish();
}

template <bool is_correct>
__global__ void mix_atomic(int *sum) {
    if (is_correct || threadIdx.x % 2 == 0) atomicAdd(sum, 1);
    else *sum = *sum + 1;
}
PLANTED(atomic_and_plain_access, "KC203") {
    Zeros<int> sum(1);
    mix_atomic<is_correct><<<1, 32>>>(sum);
    finish();
}

template <bool is_correct>
__global__ void stencil(int *data, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = gridDim.x * blockDim.x;
    const int sum = data[i] + data[(i + 1) % n];
    (is_correct ? out : data)[i] = sum;
}
PLANTED(stencil_in_place, "KC202") {
    Zeros<int> data(128), out(128);
    stencil<is_correct><<<2, 64>>>(data, out);
    finish();
}
PLANTED(stencil_in_place_of_one_block, "KC201") {
    Zeros<int> data(64), out(64);
    stencil<is_correct><<<1, 64>>>(data, out);
    finish();
}

template <bool is_correct>
__global__ void overlap(int *out) {
    // Each block writes one element more than it has.
    const int i = blockIdx.x * (blockDim.x - (is_correct ? 0 : 1)) + threadIdx.x;
    out[i] = i * 2 + blockIdx.x;
}
PLANTED(blocks_that_overlap, "KC202") {
    Zeros<int> out(128);
    overlap<is_correct><<<2, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void finish_last(const int *in, int *sums, unsigned *count, int *out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = in[blockIdx.x] + 1;
        if (is_correct) __threadfence();
        is_last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) sum += sums[i];
        *out = sum;
    }
}
PLANTED(last_block_without_fence, "KC202") {
    Zeros<int> in(8), sums(8), out(1);
    Zeros<unsigned> count(1);
    finish_last<is_correct><<<8, 32>>>(in, sums, count, out);
    finish();
}

template <bool is_correct>
__global__ void finish_scoped(int *sums, unsigned *count, int *out) {
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x + 1;
        if (is_correct) __threadfence();
        else __threadfence_block();
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            __threadfence();
            int sum = 0;
            for (unsigned i = 0; i < gridDim.x; ++i) sum += sums[i];
            *out = sum;
        }
    }
}
PLANTED(last_block_with_fence_of_block, "KC202") {
    Zeros<int> sums(8), out(1);
    Zeros<unsigned> count(1);
    finish_scoped<is_correct><<<8, 32>>>(sums, count, out);
    finish();
}

template <bool is_correct>
__global__ void count_scoped(int *sum) {
    if (is_correct) atomicAdd(sum, 1);
    else atomicAdd_block(sum, 1);
}
PLANTED(atomic_of_block_between_blocks, "KC202") {
    Zeros<int> sum(1);
    count_scoped<is_correct><<<4, 32>>>(sum);
    finish();
}

template <bool is_correct>
__global__ void pass_value(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            *data = 42;
            if (is_correct) __threadfence();
            *flag = 1;
        }
    } else if (threadIdx.x == 0) {
        while (*flag == 0) __nanosleep(100);
        if (is_correct) __threadfence();
        *out = *data;
    }
}
PLANTED(flag_without_fence, "KC202") {
    Zeros<int> data(1), flag(1), out(1);
    pass_value<is_correct><<<2, 32>>>(data, flag, out);
    finish();
}

template <bool is_correct>
__global__ void lockstep(int *out) {
    __shared__ int values[32];
    const int t = threadIdx.x;
    values[t] = t;
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        const int other = values[(t + step) % 32];
        if (is_correct) __syncwarp();
        values[t] += other;
        if (is_correct) __syncwarp();
    }
    out[t] = values[t];
}
PLANTED(warp_in_lockstep, "KC203") {
    Zeros<int> out(32);
    lockstep<is_correct><<<1, 32>>>(out);
    finish();
}

// Between the two reads of thread 1, thread 33 reads the value.
template <bool is_correct>
__global__ void read_twice(int *value, int *is_read) {
    if (threadIdx.x == 33) {
        if (*value == 7) return;
        if (is_correct) __threadfence_block();
        atomicExch(is_read, 1);
    }
    if (threadIdx.x != 1 || *value == 7) return;
    while (atomicAdd(is_read, 0) == 0) {}
    if (*value == 7) return;
    *value = 1;
}
PLANTED(update_after_two_reads, "KC201") {
    Zeros<int> value(1), is_read(1);
    read_twice<is_correct><<<1, 64>>>(value, is_read);
    finish();
}

template <bool is_correct>
__global__ void set_flag(int *flag, const int *in) {
    if (in[threadIdx.x] == 0) {
        if (is_correct) atomicExch(flag, 1);
        else *flag = 1;
    }
}
PLANTED(flag_that_all_threads_set, "KC204") {
    Zeros<int> flag(1), in(64);
    set_flag<is_correct><<<1, 64>>>(flag, in);
    finish();
}

template <bool is_correct>
__global__ void histogram(const unsigned char *in, int *bins) {
    __shared__ int counts[16];
    if (threadIdx.x < 16) counts[threadIdx.x] = 0;
    __syncthreads();
    if (is_correct) atomicAdd(&counts[in[threadIdx.x] % 16], 1);
    else ++counts[in[threadIdx.x] % 16];
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
PLANTED(histogram_without_atomic, "KC203") {
    Zeros<unsigned char> in(64);
    Zeros<int> bins(16);
    histogram<is_correct><<<2, 64>>>(in, bins);
    finish();
}

__device__ int total;
template <bool is_correct>
__global__ void add_to_total() {
    if (threadIdx.x != 0) return;
    if (is_correct) atomicAdd(&total, 1);
    else total = total + 1;
}
PLANTED(device_variable_without_atomic, "KC202") {
    add_to_total<is_correct><<<4, 32>>>();
    finish();
}

template <bool is_correct>
__global__ void transpose(float *cells) {
    const int x = threadIdx.x, y = threadIdx.y;
    const float value = cells[x * 16 + y];
    if (is_correct) __syncthreads();
    cells[y * 16 + x] = value;
}
PLANTED(transpose_in_place, "KC201") {
    Zeros<float> cells(256);
    transpose<is_correct><<<1, dim3(16, 16)>>>(cells);
    finish();
}

template <bool is_correct>
__global__ void write_bytes(unsigned char *out) {
    const int t = threadIdx.x;
    out[is_correct ? t : t / 2] = static_cast<unsigned char>(t);
}
PLANTED(bytes_of_two_threads, "KC203") {
    Zeros<unsigned char> out(64);
    write_bytes<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void phases(int *data, int *out) {
    namespace cg = cooperative_groups;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    data[i] = i;
    if (is_correct) cg::this_grid().sync();
    else __syncthreads();
    out[i] = data[(i + blockDim.x) % n];
}
PLANTED(block_barrier_for_the_grid, "KC202") {
    Zeros<int> data(128), out(128);
    int *d = data, *o = out;
    void *arguments[] = {&d, &o};
    cudaLaunchCooperativeKernel(reinterpret_cast<void *>(phases<is_correct>), dim3(2), dim3(64), arguments, 0,
                                nullptr);
    finish();
}

template <bool is_correct>
__global__ void lock_and_add(int *lock, int *sum) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(100);
    if (is_correct) __threadfence();
    *sum += 1;
    if (is_correct) __threadfence();
    atomicExch(lock, 0);
}
PLANTED(lock_without_fences, "KC202") {
    Zeros<int> lock(1), sum(1);
    lock_and_add<is_correct><<<4, 32>>>(lock, sum);
    finish();
}

template <bool is_correct>
__global__ void dynamic_tile(int *out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    if (is_correct) __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 32) % 64];
}
PLANTED(dynamic_memory_without_barrier, "KC201") {
    Zeros<int> out(64);
    dynamic_tile<is_correct><<<1, 64, 64 * sizeof(int)>>>(out);
    finish();
}

template <bool is_correct>
__global__ void wide_and_narrow(int *data) {
    if (threadIdx.x == 0) *reinterpret_cast<int4 *>(data) = make_int4(1, 2, 3, 4);
    if (threadIdx.x == 32) data[is_correct ? 4 : 2] = 7;
}
PLANTED(part_of_a_wide_write, "KC201") {
    Zeros<int> data(8);
    wide_and_narrow<is_correct><<<1, 64>>>(data);
    finish();
}

}  // namespace
