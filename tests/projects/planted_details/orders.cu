// Shuffles, scopes, flags, and copies of a few bytes.
#include "../planted/planted.hpp"

#include <cuda/atomic>

namespace {
namespace of_orders {

template <bool is_correct>
__global__ void exchange_by_shuffle(int *out) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;
    const int zero = __shfl_sync(0xffffffff, 0, 0);
    if (is_correct) __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x] + zero;
}
PLANTED(shuffle_as_a_barrier, "KC203") {
    Zeros<int> out(32);
    exchange_by_shuffle<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void exchange_by_vote(int *out) {
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;
    const bool is_all = __all_sync(0xffffffff, 1);
    if (is_correct) __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x] + is_all;
}
PLANTED(vote_as_a_barrier, "KC203") {
    Zeros<int> out(32);
    exchange_by_vote<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void shift_lanes(int *out) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_down_sync(0xffff, threadIdx.x, 1, is_correct ? 16 : 32);
}
PLANTED(shuffle_from_a_lane_outside_of_the_mask, "KC304") {
    Zeros<int> out(16);
    shift_lanes<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void read_lanes_behind_the_end(int *out, int count) {
    if (threadIdx.x >= count) return;
    const unsigned mask = is_correct ? (1u << count) - 1 : 0xffffffff;
    const int last = is_correct ? count - 1 : count;
    out[threadIdx.x] = __shfl_sync(mask, threadIdx.x, last);
}
PLANTED(shuffle_from_a_lane_that_has_exited, "KC304") {
    Zeros<int> out(32);
    read_lanes_behind_the_end<is_correct><<<1, 32>>>(out, 20);
    finish();
}

template <bool is_correct>
__global__ void count_with_scope(int *sum) {
    constexpr auto scope = is_correct ? cuda::thread_scope_device : cuda::thread_scope_block;
    cuda::atomic_ref<int, scope>(*sum).fetch_add(1, cuda::memory_order_relaxed);
}
PLANTED(atomic_object_of_block_between_blocks, "KC202") {
    Zeros<int> sum(1);
    count_with_scope<is_correct><<<4, 32>>>(sum);
    finish();
}

template <bool is_correct>
__global__ void pass_flag(int *flag, int *data, int *out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        if (is_correct) __threadfence();
        *out = *data;
    }
}
PLANTED(flag_without_a_fence_of_the_reader, "KC209") {
    Zeros<int> memory(3);
    pass_flag<is_correct><<<2, 1>>>(memory, memory + 1, memory + 2);
    finish();
}

// A fence for the block does not order what another block has written.
template <bool is_correct>
__global__ void pass_flag_to_block(int *flag, int *data, int *out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        if (is_correct)
            __threadfence();
        else
            __threadfence_block();
        *out = *data;
    }
}
PLANTED(flag_with_a_fence_of_the_reader_for_its_block, "KC209") {
    Zeros<int> memory(3);
    pass_flag_to_block<is_correct><<<2, 1>>>(memory, memory + 1, memory + 2);
    finish();
}

// The second block to take the lock needs a fence, although the memory is volatile.
template <bool is_correct>
__global__ void add_under_lock(int *lock, volatile int *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    if (is_correct) __threadfence();
    *sum = 1;
    __threadfence();
    atomicExch(lock, 0);
}
PLANTED(lock_without_a_fence_for_volatile_memory, "KC209") {
    Zeros<int> memory(2);
    add_under_lock<is_correct><<<2, 1>>>(memory, memory + 1);
    finish();
}

struct Three {
    int values[3];
};
template <bool is_correct>
__global__ void copy_three(Three *in, Three *out, int count) {
    const int last = is_correct ? count - 1 : count;
    __builtin_memcpy(out, in + last, sizeof(Three));
}
PLANTED(built_in_copy_past_the_end, "KC101") {
    Zeros<Three> in(4), out(1);
    copy_three<is_correct><<<1, 1>>>(in, out, 4);
    finish();
}

}  // namespace of_orders
}  // namespace
