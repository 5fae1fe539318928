// Cooperative groups of a block.
#include "blocks.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

namespace {

struct Large {
    int a;
    double b;
    short c[5];
};

__global__ void test_thread_block(int* out) {
    __shared__ int values[96];
    const auto block = cg::this_thread_block();
    values[block.thread_rank()] = static_cast<int>(block.thread_rank());
    block.sync();
    int* const own = out + 8 * THREAD;
    own[0] = values[(block.thread_rank() + 5) % block.size()];
    own[1] = static_cast<int>(block.num_threads() + block.group_index().x);
    own[2] = static_cast<int>(block.thread_index().x + block.dim_threads().x + block.group_dim().y);
    cg::sync(block);
    values[block.thread_rank()] = own[0] * 2;
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    own[3] = values[(block.thread_rank() + 31) % block.size()];
    own[4] = static_cast<int>(cg::thread_rank(block) + cg::group_size(block));
}

template <unsigned N>
__global__ void test_tile(int* out) {
    const auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    int* const own = out + 20 * THREAD;
    const int value = static_cast<int>(threadIdx.x * 37 % 64);
    own[0] = static_cast<int>(tile.thread_rank() + 100 * tile.size() + 10000 * tile.meta_group_rank());
    own[1] = static_cast<int>(tile.meta_group_size() + 100 * tile.num_threads());
    own[2] = tile.shfl(value, N / 3);
    own[3] = tile.shfl_up(value, 1);
    own[4] = tile.shfl_down(value, 2);
    own[5] = tile.shfl_xor(value, N / 2);
    own[6] = tile.any(value > 60);
    own[7] = tile.all(value > 3);
    own[8] = static_cast<int>(tile.ballot(value % 3 == 0));
    own[9] = static_cast<int>(tile.match_any(value % 4));
    int is_equal = 0;
    own[10] = static_cast<int>(tile.match_all(value / 64, is_equal));
    own[11] = is_equal != 0;
    own[12] = cg::reduce(tile, value, cg::plus<int>());
    own[13] = cg::reduce(tile, value, cg::less<int>());
    own[14] = cg::reduce(tile, value, cg::greater<int>());
    own[15] = cg::reduce(tile, value | 64, cg::bit_and<int>());
    own[16] = cg::reduce(tile, value, cg::bit_or<int>()) + 1000 * cg::reduce(tile, value, cg::bit_xor<int>());
    own[17] = cg::inclusive_scan(tile, value) * 1000 + cg::exclusive_scan(tile, value);
    own[18] = cg::inclusive_scan(tile, value, cg::greater<int>());
    tile.sync();
    own[19] = tile.shfl(Large{value, value * 0.5, {1, 2, 3, 4, static_cast<short>(value)}}, 0).c[4];
}

__global__ void test_reduce_double(double* out) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    out[THREAD] = cg::reduce(tile, 1.0 / (threadIdx.x + 1), cg::plus<double>());
}
__global__ void test_reduce_float_function(float* out) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[THREAD] = cg::reduce(tile, 1.0f + threadIdx.x * 0.125f, [](float a, float b) { return a * b; });
}
// The order of operands matters here. Each lane of a tile has another result.
struct Pair {
    int first, second;
};
__device__ Pair combine(Pair a, Pair b) { return {a.first * 31 + b.first, a.second ^ (b.first * 7)}; }
__global__ void test_reduce_ordered(Pair* out) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const auto half = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), threadIdx.x % 3 == 0);
    const Pair own{static_cast<int>(threadIdx.x), 1};
    out[4 * THREAD] = cg::reduce(tile, own, combine);
    out[4 * THREAD + 1] = cg::reduce(half, own, combine);
    out[4 * THREAD + 2] = cg::inclusive_scan(tile, own, combine);
    out[4 * THREAD + 3] = cg::exclusive_scan(half, own, combine);
}
__global__ void test_scan_double(double* out) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    out[THREAD] = cg::inclusive_scan(tile, 1.0 / (threadIdx.x + 1));
}

__global__ void test_nested_tiles(int* out) {
    const auto outer = cg::tiled_partition<16>(cg::this_thread_block());
    const auto inner = cg::tiled_partition<4>(outer);
    out[2 * THREAD] = static_cast<int>(inner.meta_group_rank() * 100 + inner.meta_group_size());
    out[2 * THREAD + 1] = inner.shfl(static_cast<int>(threadIdx.x), 3) + outer.shfl(7, 2);
}

__global__ void test_dynamic_tiles(int* out) {
    const cg::thread_group block = cg::this_thread_block();
    const cg::thread_group tile = cg::tiled_partition(block, 8);
    const cg::thread_group small = cg::tiled_partition(tile, 2);
    __shared__ int values[96];
    values[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[2 * THREAD] = values[threadIdx.x / 8 * 8 + (threadIdx.x + 1) % 8];
    small.sync();
    out[2 * THREAD + 1] = static_cast<int>(tile.thread_rank() + 10 * tile.size() +
                                           100 * small.thread_rank() + 1000 * small.size());
}

// All lanes of a branch are there, because the warp has met before it.
__global__ void test_coalesced(int* out) {
    int* const own = out + 10 * THREAD;
    const int value = static_cast<int>(threadIdx.x * 29 % 32);
    const auto warp = cg::coalesced_threads();
    own[0] = static_cast<int>(warp.size() + 100 * warp.thread_rank());
    const auto half = cg::binary_partition(warp, value % 3 == 0);
    own[1] = static_cast<int>(half.size() + 100 * half.thread_rank() + 10000 * half.meta_group_rank());
    own[2] = half.shfl(value, 1) + 100 * half.shfl_up(value, 1) + 10000 * half.shfl_down(value, 3);
    own[3] = static_cast<int>(half.ballot(value > 15)) + half.any(value == 3) + half.all(value < 32);
    own[4] = cg::reduce(half, value, cg::plus<int>());
    own[5] = cg::exclusive_scan(half, value) + 1000 * cg::inclusive_scan(half, value);
    const auto same = cg::labeled_partition(warp, value % 5);
    own[6] = static_cast<int>(same.size() + 100 * same.thread_rank() + 10000 * same.meta_group_rank());
    own[7] = static_cast<int>(same.meta_group_size());
    own[8] = cg::reduce(same, value, cg::bit_or<int>());
    const auto quarter = cg::tiled_partition(same, 2);
    own[9] = static_cast<int>(quarter.size() + 10 * quarter.thread_rank());
}

__global__ void test_this_thread(int* out) {
    const auto self = cg::this_thread();
    const cg::thread_group generic = cg::this_thread_block();
    self.sync();
    out[THREAD] = static_cast<int>(self.size() + 10 * self.thread_rank() + 100 * self.meta_group_rank() +
                                   1000 * self.meta_group_size() + 10000 * generic.get_type());
}

__global__ void test_labels(int* out) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const auto flags = cg::labeled_partition(tile, threadIdx.x % 5 == 0);
    const auto pointers = cg::labeled_partition(tile, &out[threadIdx.x % 3]);
    const auto sizes = cg::tiled_partition(flags, 16);
    out[4 * THREAD] = static_cast<int>(flags.size() + 100 * flags.meta_group_rank() + 10000 * flags.meta_group_size());
    out[4 * THREAD + 1] = static_cast<int>(pointers.thread_rank() + 100 * pointers.meta_group_rank());
    out[4 * THREAD + 2] = static_cast<int>(sizes.meta_group_rank() + 100 * sizes.meta_group_size());
    out[4 * THREAD + 3] = cg::reduce(pointers, static_cast<int>(threadIdx.x), cg::plus<int>());
}

__global__ void test_memcpy_async(int* out) {
    __shared__ int from[96], to[96];
    const auto block = cg::this_thread_block();
    from[threadIdx.x] = threadIdx.x * 3;
    to[threadIdx.x] = 0;
    block.sync();
    cg::memcpy_async(block, to, from, sizeof(int) * 50);
    cg::wait(block);
    out[2 * THREAD] = to[threadIdx.x];
    block.sync();
    cg::memcpy_async(block, to, 96, from, 70);
    cg::wait_prior<0>(block);
    out[2 * THREAD + 1] = to[threadIdx.x];
}

__global__ void test_invoke_one(int* out) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    __shared__ int calls;
    if (threadIdx.x == 0) calls = 0;
    __syncthreads();
    cg::invoke_one(tile, [] { atomicAdd(&calls, 1); });
    const int sum = cg::invoke_one_broadcast(tile, [](int a) { return a + 5; }, 37);
    __syncthreads();
    out[THREAD] = calls * 100 + sum;
}

}  // namespace

int main() {
    using conformance::run_blocks;
    run_blocks("thread_block", test_thread_block, 3, 96, 8);
    run_blocks("thread_block_tile_1", test_tile<1>, 3, 96, 20);
    run_blocks("thread_block_tile_2", test_tile<2>, 3, 96, 20);
    run_blocks("thread_block_tile_4", test_tile<4>, 3, 96, 20);
    run_blocks("thread_block_tile_8", test_tile<8>, 3, 96, 20);
    run_blocks("thread_block_tile_16", test_tile<16>, 3, 96, 20);
    run_blocks("thread_block_tile_32", test_tile<32>, 3, 96, 20);
    run_blocks("reduce_double", test_reduce_double);
    run_blocks("reduce_float_function", test_reduce_float_function);
    run_blocks("reduce_and_scan_in_order", test_reduce_ordered, 3, 96, 4);
    run_blocks("inclusive_scan_double", test_scan_double);
    run_blocks("this_thread", test_this_thread);
    run_blocks("labeled_partition", test_labels, 3, 96, 4);
    run_blocks("nested_tiles", test_nested_tiles, 3, 96, 2);
    run_blocks("dynamic_tiles", test_dynamic_tiles, 3, 96, 2);
    run_blocks("coalesced_group", test_coalesced, 3, 96, 10);
    run_blocks("memcpy_async", test_memcpy_async, 3, 96, 2);
    run_blocks("invoke_one", test_invoke_one);
}
