// Mistakes that happen only if warps or lanes run in another order than usual; see KBUILD_SEED.
#include "../planted/planted.hpp"

#define SCHEDULED(name, rule) PLANTED(name, rule)

namespace {
namespace of_schedules {

// The first warp that takes the lock has nothing to acquire.
template <bool is_correct>
__global__ void count_in_lock(int *lock, volatile int *count) {
    if (threadIdx.x % 32 != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    if (is_correct || threadIdx.x != 0) __threadfence_block();
    *count += 1;
    __threadfence_block();
    atomicExch(lock, 0);
}
SCHEDULED(first_warp_takes_a_lock_without_a_fence, "KC209") {
    Zeros<int> lock(1), count(1);
    count_in_lock<is_correct><<<1, 72>>>(lock, count);
    finish();
}

template <bool is_correct>
__global__ void add_in_branch(const int *in, int *out) {
    if (threadIdx.x >= 16) return;
    const unsigned mask = is_correct ? 0xFFFF : __activemask();
    int sum = in[threadIdx.x];
    for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(mask, sum, offset, 16);
    if (threadIdx.x == 0) *out = sum;
}
SCHEDULED(branch_relies_on_activemask, "KC304") {
    Zeros<int> in(16), out(1);
    add_in_branch<is_correct><<<1, 32>>>(in, out);
    finish();
}

// Volatile memory behind a flag that no fence follows, as old code has it, and behind a lock.
template <bool is_correct>
__global__ void pass_on(int *flag, volatile int *data) {
    if (threadIdx.x == 0) {
        *data = 1;
        __threadfence();
        atomicExch(flag, 1);
    } else if (threadIdx.x == 32) {
        if (is_correct)
            while (atomicAdd(flag, 0) != 1) {}
        else
            while (atomicCAS(flag, 1, 2) != 1) {}
        *data += 2;
    }
}
PLANTED(volatile_memory_behind_a_lock_without_a_fence, "KC209") {
    Zeros<int> flag(1), data(1);
    pass_on<is_correct><<<1, 33>>>(flag, data);
    finish();
}

}  // namespace of_schedules
}  // namespace
