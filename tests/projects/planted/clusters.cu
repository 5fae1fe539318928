// Blocks of a cluster that access each other's shared memory.
#include "planted.hpp"

#include <cooperative_groups.h>

namespace {

namespace cg = cooperative_groups;

constexpr int blocks = 2, threads = 32;

template <bool is_written, bool is_awaited, bool is_kept>
__global__ void __cluster_dims__(blocks) exchange(int *out, int shift) {
    __shared__ int part[threads];
    auto cluster = cg::this_cluster();
    const auto rank = cluster.block_rank();
    if (is_written || rank == 0) part[threadIdx.x] = rank;
    if (is_awaited) cluster.sync();
    const int *const other = cluster.map_shared_rank(part, 1 - rank);
    out[rank * threads + threadIdx.x] = other[threadIdx.x + shift];
    if (is_kept) cluster.sync();
    part[threadIdx.x] = -1;
    cluster.sync();
}
PLANTED(read_of_another_block_without_barrier, "KC202") {
    Zeros<int> out(blocks * threads);
    exchange<true, is_correct, true><<<blocks, threads>>>(out, 0);
    finish();
}
PLANTED(write_before_another_block_has_read, "KC202") {
    Zeros<int> out(blocks * threads);
    exchange<true, true, is_correct><<<blocks, threads>>>(out, 0);
    finish();
}
PLANTED(memory_of_another_block_that_nobody_wrote, "KC402") {
    Zeros<int> out(blocks * threads);
    exchange<is_correct, true, true><<<blocks, threads>>>(out, 0);
    finish();
}
PLANTED(memory_of_another_block_past_the_end, "KC101") {
    Zeros<int> out(blocks * threads);
    exchange<true, true, true><<<blocks, threads>>>(out, is_correct ? 0 : 1);
    finish();
}

template <bool is_correct>
__global__ void __cluster_dims__(blocks) turn(int *values, int *out) {
    auto cluster = cg::this_cluster();
    const auto i = cluster.thread_rank();
    values[i] = i;
    if (is_correct) cluster.sync();
    else __syncthreads();
    out[i] = values[blocks * threads - 1 - i];
}
PLANTED(block_barrier_for_the_cluster, "KC202") {
    Zeros<int> values(blocks * threads), out(blocks * threads);
    turn<is_correct><<<blocks, threads>>>(values, out);
    finish();
}

}  // namespace
