// Tiles of several warps, and updates of atomic objects with the results of groups.
#include "blocks.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 1024;

template <unsigned N>
__global__ void test_tile(int* out) {
    __shared__ cg::block_tile_memory<threads> memory;
    const auto tile = cg::tiled_partition<N>(cg::this_thread_block(memory));
    int* const own = out + 12 * THREAD;
    const int value = static_cast<int>(threadIdx.x * 37 % 641);
    __shared__ int values[threads];
    for (int i = 0; i < 5; ++i) {  // tiles make progress independently
        values[threadIdx.x] = value + i;
        tile.sync();
        own[0] += values[threadIdx.x / N * N + (tile.thread_rank() + 33) % N];
        tile.sync();
    }
    own[1] = static_cast<int>(tile.thread_rank() + 10000 * tile.meta_group_rank());
    own[2] = static_cast<int>(tile.size() + tile.num_threads() + 10000 * tile.meta_group_size());
    own[3] = tile.shfl(value, N / 3) + 1000 * tile.shfl(value, 0);
    own[4] = tile.any(value > 630) + 10 * tile.any(value > 700);
    own[5] = tile.all(value >= 0) + 10 * tile.all(value > 0);
    own[6] = cg::reduce(tile, value, cg::plus<int>());
    own[7] = cg::reduce(tile, value, cg::less<int>()) + 1000 * cg::reduce(tile, value, cg::greater<int>());
    own[8] = cg::reduce(tile, value | 1024, cg::bit_and<int>()) + cg::reduce(tile, value, cg::bit_xor<int>());
    own[9] = cg::inclusive_scan(tile, value);
    own[10] = cg::exclusive_scan(tile, value);
    own[11] = cg::inclusive_scan(tile, value, cg::greater<int>()) * 1000 +
              cg::exclusive_scan(tile, value, cg::greater<int>());
}

template <unsigned N>
__global__ void test_floats(float* out) {
    const auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    const float value = 1.0f / static_cast<float>(threadIdx.x + 1);
    out[3 * THREAD] = cg::reduce(tile, value, cg::plus<float>());
    out[3 * THREAD + 1] = cg::inclusive_scan(tile, value);
    out[3 * THREAD + 2] = cg::exclusive_scan(tile, value, [](float a, float b) { return a + b; });
}

// One block has tiles of several sizes, of which some are parts of others.
__global__ void test_nested(int* out) {
    const auto outer = cg::tiled_partition<256>(cg::this_thread_block());
    const auto inner = cg::tiled_partition<64>(outer);
    const auto warp = cg::tiled_partition<32>(inner);
    int* const own = out + 5 * THREAD;
    own[0] = static_cast<int>(inner.meta_group_rank() + 10 * inner.meta_group_size());
    own[1] = static_cast<int>(warp.meta_group_rank() + 10 * warp.meta_group_size());
    own[2] = cg::reduce(inner, static_cast<int>(threadIdx.x), cg::plus<int>());
    own[3] = cg::reduce(outer, own[2], cg::greater<int>()) + warp.shfl(7, 3);
    const cg::thread_block_tile<64> same = inner;
    own[4] = static_cast<int>(same.thread_rank() + 100 * same.meta_group_rank());
}

__global__ void test_copies(int* out) {
    __shared__ int from[threads], to[threads];
    const auto tile = cg::tiled_partition<128>(cg::this_thread_block());
    const auto first = threadIdx.x / 128 * 128;
    from[threadIdx.x] = static_cast<int>(threadIdx.x * 3);
    to[threadIdx.x] = 1;
    tile.sync();
    cg::memcpy_async(tile, to + first, from + first, sizeof(int) * 100);
    cg::wait(tile);
    out[THREAD] = to[threadIdx.x];
}

__global__ void test_invoke_one(int* out) {
    __shared__ int calls;
    const auto tile = cg::tiled_partition<128>(cg::this_thread_block());
    if (threadIdx.x == 0) calls = 0;
    __syncthreads();
    cg::invoke_one(tile, [](int by) { atomicAdd(&calls, by); }, 3);
    const int sum = cg::invoke_one_broadcast(tile, [](int a) { return a + 5; }, 37);
    __syncthreads();
    out[THREAD] = calls * 100 + sum;
}

// `Group` makes a group of the block whose threads update their own number.
template <unsigned N, class T>
__global__ void test_updates(T* out) {
    __shared__ T storage[6][threads / N];
    const auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    const auto at = tile.meta_group_rank();
    if (tile.thread_rank() == 0)
        for (int i = 0; i < 6; ++i) storage[i][at] = static_cast<T>(1000 * i);
    __syncthreads();
    const auto value = static_cast<T>(threadIdx.x % 50 + 1);
    auto& object = reinterpret_cast<cuda::atomic<T, cuda::thread_scope_block>&>(storage[0][at]);
    cg::reduce_update_async(tile, object, value, cg::plus<T>());
    cg::reduce_store_async(tile, cuda::atomic_ref<T, cuda::thread_scope_device>(storage[1][at]), value,
                           cg::greater<T>());
    cg::reduce_store_async(tile, &storage[2][at], value, cg::less<T>());
    const cuda::atomic_ref<T, cuda::thread_scope_block> sum(storage[3][at]), most(storage[4][at]);
    auto& last = reinterpret_cast<cuda::atomic<T, cuda::thread_scope_block>&>(storage[5][at]);
    T* const own = out + 10 * THREAD;
    own[0] = cg::inclusive_scan_update(tile, sum, value);
    own[1] = cg::exclusive_scan_update(tile, sum, value);
    own[2] = cg::inclusive_scan_update(tile, most, static_cast<T>(value * 100), cg::greater<T>());
    own[3] = cg::exclusive_scan_update(tile, last, value, cg::plus<T>());
    __syncthreads();
    for (int i = 0; i < 6; ++i) own[4 + i] = storage[i][at];
}

// The groups of a partition, which are not tiles.
__global__ void test_coalesced_updates(int* out) {
    __shared__ int sums[6], stores[6];
    if (threadIdx.x < 6) sums[threadIdx.x] = stores[threadIdx.x] = 0;
    __syncthreads();
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto half = cg::binary_partition(warp, threadIdx.x % 3 == 0);
    const auto at = 2 * warp.meta_group_rank() + (threadIdx.x % 3 == 0);
    const cuda::atomic_ref<int, cuda::thread_scope_block> sum(sums[at]);
    const int value = static_cast<int>(threadIdx.x);
    cg::reduce_update_async(half, sum, value, cg::plus<int>());
    cg::reduce_store_async(half, &stores[at], value, cg::greater<int>());
    half.sync();
    out[4 * THREAD] = cg::inclusive_scan_update(half, sum, value);
    out[4 * THREAD + 1] = cg::exclusive_scan_update(half, sum, value);
    __syncthreads();
    out[4 * THREAD + 2] = sums[at];
    out[4 * THREAD + 3] = stores[at];
}

}  // namespace

int main() {
    using conformance::run_blocks;
    run_blocks("thread_block_tile_64", test_tile<64>, 3, threads, 12);
    run_blocks("thread_block_tile_128", test_tile<128>, 3, threads, 12);
    run_blocks("thread_block_tile_256", test_tile<256>, 3, threads, 12);
    run_blocks("thread_block_tile_512", test_tile<512>, 3, threads, 12);
    run_blocks("thread_block_tile_1024", test_tile<1024>, 3, threads, 12);
    run_blocks("floats_64", test_floats<64>, 3, threads, 3);
    run_blocks("floats_512", test_floats<512>, 3, threads, 3);
    run_blocks("nested_tiles", test_nested, 3, threads, 5);
    run_blocks("memcpy_async", test_copies, 3, threads);
    run_blocks("invoke_one", test_invoke_one, 3, threads);
    run_blocks("updates_8_int", test_updates<8, int>, 3, threads, 10);
    run_blocks("updates_32_unsigned_long_long", test_updates<32, unsigned long long>, 3, threads, 10);
    run_blocks("updates_32_float", test_updates<32, float>, 3, threads, 10);
    run_blocks("updates_128_int", test_updates<128, int>, 3, threads, 10);
    run_blocks("updates_1024_float", test_updates<1024, float>, 3, threads, 10);
    run_blocks("updates_of_partitions", test_coalesced_updates, 3, 96, 4);
}
