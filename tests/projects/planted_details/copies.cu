// Asynchronous copies to shared memory.
#include "../planted/planted.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace {
namespace of_copies {

template <bool is_correct>
__global__ void reverse_copy(const int *in, int *out) {
    __shared__ int part[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&part[i], &in[i], sizeof(int));
    __pipeline_commit();
    if (is_correct) __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = part[63 - i];
    if (!is_correct) __pipeline_wait_prior(0);
}
PLANTED(copy_used_before_the_wait, "KC210") {
    Zeros<int> in(64), out(64);
    reverse_copy<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void reverse_without_batch(const int *in, int *out) {
    __shared__ int part[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&part[i], &in[i], sizeof(int));
    if (is_correct) __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = part[63 - i];
}
PLANTED(copy_that_is_not_committed, "KC210") {
    Zeros<int> in(64), out(64);
    reverse_without_batch<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void reverse_without_barrier(const int *in, int *out) {
    __shared__ int part[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&part[i], &in[i], sizeof(int));
    __pipeline_commit();
    if (!is_correct) __syncthreads();
    __pipeline_wait_prior(0);
    if (is_correct) __syncthreads();
    out[i] = part[63 - i];
}
PLANTED(barrier_before_the_wait_for_a_copy, "KC201") {
    Zeros<int> in(64), out(64);
    reverse_without_barrier<is_correct><<<1, 64>>>(in, out);
    finish();
}

// The copy of the next part goes on while the threads use the last one.
template <bool is_correct>
__global__ void sum_parts(const int *in, int *out) {
    __shared__ int parts[2][64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&parts[0][i], &in[i], sizeof(int));
    __pipeline_commit();
    int sum = 0;
    for (int part = 0; part < 4; ++part) {
        if (part < 3) __pipeline_memcpy_async(&parts[(part + 1) % 2][i], &in[i], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(is_correct ? 1 : 2);
        __syncthreads();
        sum += parts[part % 2][63 - i];
        __syncthreads();
    }
    out[i] = sum;
}
PLANTED(wait_for_a_batch_too_few, "KC210") {
    Zeros<int> in(64), out(64);
    sum_parts<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void reverse_in_pipeline(const int *in, int *out) {
    __shared__ int part[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
    const int i = threadIdx.x;
    pipeline.producer_acquire();
    cuda::memcpy_async(&part[i], &in[i], sizeof(int), pipeline);
    pipeline.producer_commit();
    if (is_correct)
        pipeline.consumer_wait();
    else
        __syncthreads();
    out[i] = part[63 - i];
    if (!is_correct) pipeline.consumer_wait();
    pipeline.consumer_release();
}
PLANTED(stage_of_a_pipeline_used_before_the_wait, "KC210") {
    Zeros<int> in(64), out(64);
    reverse_in_pipeline<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void double_in_thread_pipeline(const int *in, int *out) {
    __shared__ int part[64];
    auto pipeline = cuda::make_pipeline();
    const int i = threadIdx.x;
    cuda::memcpy_async(&part[i], &in[i], sizeof(int), pipeline);
    pipeline.producer_commit();
    if (is_correct) pipeline.consumer_wait();
    out[i] = 2 * part[i];
}
PLANTED(pipeline_of_a_thread_without_a_wait, "KC210") {
    Zeros<int> in(64), out(64);
    double_in_thread_pipeline<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void reverse_with_barrier_object(const int *in, int *out) {
    __shared__ int part[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, 64);
    block.sync();
    cuda::memcpy_async(block, part, in, sizeof part, barrier);
    auto token = barrier.arrive();
    if (is_correct) barrier.wait(static_cast<decltype(token) &&>(token));
    __syncthreads();
    out[threadIdx.x] = part[63 - threadIdx.x];
}
PLANTED(copy_of_a_barrier_that_nobody_waits_for, "KC210") {
    Zeros<int> in(64), out(64);
    reverse_with_barrier_object<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void reverse_by_group(const int *in, int *out) {
    __shared__ int parts[2][64];
    const auto block = cooperative_groups::this_thread_block();
    for (auto &part : parts) cooperative_groups::memcpy_async(block, part, in, sizeof part);
    cooperative_groups::wait_prior<1>(block);
    out[threadIdx.x] = parts[is_correct ? 0 : 1][63 - threadIdx.x];
    cooperative_groups::wait(block);
}
PLANTED(second_copy_of_a_group_used_after_the_first, "KC210") {
    Zeros<int> in(64), out(64);
    reverse_by_group<is_correct><<<1, 64>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void overwrite_source(int *data, int *out) {
    __shared__ int part[64];
    __pipeline_memcpy_async(&part[threadIdx.x], &data[threadIdx.x], sizeof(int));
    __pipeline_commit();
    if (is_correct) __pipeline_wait_prior(0);
    data[threadIdx.x] = 7;
    __pipeline_wait_prior(0);
    out[threadIdx.x] = part[threadIdx.x];
}
PLANTED(source_of_a_copy_overwritten_before_the_wait, "KC210") {
    Zeros<int> data(64), out(64);
    overwrite_source<is_correct><<<1, 64>>>(data, out);
    finish();
}

template <bool is_correct>
__global__ void shift_behind_copy(int *data, int *out) {
    __shared__ int part[64];
    const auto block = cooperative_groups::this_thread_block();
    int *const own = data + 64 * blockIdx.x;
    cooperative_groups::memcpy_async(block, part, own, sizeof part);
    if (is_correct) cooperative_groups::wait(block);
    else __syncthreads();
    own[63 - threadIdx.x] = 7;
    if (!is_correct) cooperative_groups::wait(block);
    out[64 * blockIdx.x + threadIdx.x] = part[threadIdx.x];
}
PLANTED(source_of_a_copy_overwritten_behind_a_barrier, "KC210") {
    Zeros<int> data(128), out(128);
    shift_behind_copy<is_correct><<<2, 64>>>(data, out);
    finish();
}

}  // namespace of_copies
}  // namespace
