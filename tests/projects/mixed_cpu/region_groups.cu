// Kernels with cooperative groups that are divided into regions. Each one checks its own result, and main prints the
// wrong ones.
#include "region_results.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>
#include <mma.h>
// Declares a function that has the name of an operation.
#include <unistd.h>

namespace cg = cooperative_groups;

constexpr int THREADS = 96;

// A block that is passed on, also by reference, and together with a tile.
__device__ int sum_of_tile(const cg::thread_block_tile<32>& tile, int value)
{
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        value += tile.shfl_down(value, offset);
    return value;
}
__device__ int sum_of_block(int value, int* parts, cg::thread_block cta)
{
    auto warp = cg::tiled_partition<32>(cta);
    value = sum_of_tile(warp, value);
    cg::sync(cta);
    if (warp.thread_rank() == 0)
        parts[warp.meta_group_rank()] = value;
    cta.sync();
    int sum = 0;
    for (unsigned i = 0; i < warp.meta_group_size(); ++i)
        sum += parts[i];
    cg::sync(cta);
    return sum;
}
__global__ void sums(int* out)
{
    __shared__ int parts[32];
    cg::thread_block cta = cg::this_thread_block();
    const int first = sum_of_block(threadIdx.x, parts, cta);
    const int second = sum_of_block(cta.thread_rank() % 2, parts, cta);
    if (cta.thread_rank() == 0) {
        out[0] = first;
        out[1] = second;
    }
}

// Tiles of a part of a warp, and of a tile.
template <int N> __device__ int rotate(cg::thread_block_tile<N> tile, int value)
{
    return tile.shfl(value, (tile.thread_rank() + 1) % N);
}
__global__ void tiles(int* out)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto half = cg::tiled_partition<16>(block);
    cg::thread_block_tile<4> quarter = cg::tiled_partition<4>(half);
    int value = rotate<16>(half, threadIdx.x);
    value = 1000 * value + quarter.shfl_up(int(threadIdx.x), 1) + quarter.shfl_xor(int(threadIdx.x), 2);
    value += 100000000 * quarter.thread_rank();
    out[threadIdx.x] = value;
}

// Some tiles of a warp.
__global__ void some_tiles(int* out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int value = tile.meta_group_rank();
    if (tile.meta_group_rank() % 3 == 1) {
        value = 100 * tile.ballot(threadIdx.x % 2) + 10 * tile.any(threadIdx.x == 9) + tile.all(threadIdx.x < 12);
        tile.sync();
    }
    out[threadIdx.x] = value;
}

struct Longer {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
struct Product {
    __device__ float operator()(float a, float b) const { return a * b; }
};
__global__ void reductions(int* out)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    const auto tile4 = cg::tiled_partition<4>(tile32);
    int sum = cg::reduce(tile32, int(threadIdx.x), cg::plus<int>());
    const float product = cg::reduce(tile4, 1.5f, Product{});
    sum = 10000 * cg::reduce(tile4, int(threadIdx.x * 7 % 5), Longer()) + sum;
    out[threadIdx.x] = sum + 1000000 * int(product);
}

// A condition with the rank in a tile, which is no index in the block.
__global__ void ranks(int* out)
{
    __shared__ int counts[THREADS];
    cg::thread_block cta = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(cta);
    counts[threadIdx.x] = 0;
    cta.sync();
    if (tile.thread_rank() < 2)
        counts[threadIdx.x] += 1;
    if (tile.thread_rank() == 5)
        counts[threadIdx.x] += 2;
    if (cta.thread_rank() >= 90)
        counts[threadIdx.x] += 4;
    cg::sync(cta);
    out[threadIdx.x] = counts[THREADS - 1 - threadIdx.x];
}

// The place of a tile in a larger tile. A type without the parent forgets nothing.
__global__ void places(int* out)
{
    const auto outer = cg::tiled_partition<16>(cg::this_thread_block());
    const cg::thread_block_tile<4> inner = cg::tiled_partition<4>(outer);
    const auto innermost = cg::tiled_partition<2>(inner);
    const int sum = inner.shfl(1, 3) + innermost.shfl_xor(1, 1);
    out[threadIdx.x] = 10000 * sum + 1000 * inner.meta_group_size() + 100 * inner.meta_group_rank() +
                       10 * innermost.meta_group_size() + innermost.meta_group_rank();
}

// The block without a variable, a parameter without a name, and a function without barriers.
__device__ int number(cg::thread_block block) { return 2 * block.thread_rank(); }
__device__ int meet(cg::thread_block, int value)
{
    cg::this_thread_block().sync();
    return value + 1;
}
__global__ void without_variable(int* out)
{
    __shared__ int all[THREADS];
    cg::thread_block cta = cg::this_thread_block();
    all[threadIdx.x] = number(cta);
    cg::sync(cg::this_thread_block());
    out[threadIdx.x] = meet(cta, all[(threadIdx.x + 1) % THREADS]) + meet(cg::this_thread_block(), 1);
}

// Groups that are objects: a parameter of any group, a size that is known at run time, a copy, and a member.
__device__ int of_any_group(cg::thread_group group, int value)
{
    group.sync();
    return value + group.thread_rank();
}
__global__ void any_group(int* out) { out[threadIdx.x] = of_any_group(cg::this_thread_block(), 1); }
__device__ int add_up(cg::thread_group group, int* values, int value)
{
    const int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        values[rank] = value;
        group.sync();
        if (rank < i)
            value += values[rank + i];
        cg::sync(group);
    }
    return value;
}
struct Pair {
    cg::thread_block_tile<4> part;
    int value;
    __device__ Pair(cg::thread_block block, int value) : part(cg::tiled_partition<4>(block)), value(value) {}
};
__global__ void objects(int* out, int size)
{
    __shared__ int values[128];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition(block, 32);
    auto part = tiled_partition(warp, size);
    auto copy = part;
    const int offset = threadIdx.x / copy.size() * copy.size();
    const int first = add_up(copy, values + offset, threadIdx.x);
    block.sync();
    const int all = add_up(block, values, 1);
    Pair pair(cg::this_thread_block(), threadIdx.x);
    if (threadIdx.x < 64)
        pair.value = pair.part.shfl_down(pair.value, 1) + 10 * pair.part.shfl(pair.value, 6) +
                     100 * pair.part.ballot(pair.value % 3 == 0) + 10000 * pair.part.shfl_up(pair.value, 2) +
                     1000000 * pair.part.shfl_xor(threadIdx.x, 3);
    pair.part.sync();
    out[threadIdx.x] = pair.value + (copy.thread_rank() == 0 ? first : 0) + (threadIdx.x == 0 ? all : 0);
}

// The lanes that are at a place.
__global__ void lanes_here(int* out)
{
    int value = threadIdx.x;
    if (value % 5 < 2) {
        cg::coalesced_group here = cg::coalesced_threads();
        value = here.shfl(value, 1) + 1000 * here.size() + 100000 * here.thread_rank();
        here.sync();
    }
    out[threadIdx.x] = value;
}

// What is complete when it is called has nothing to wait for. All threads meet in the loop with a barrier, so that
// none waits in it for the atomic function.
__global__ void copies(const int* in, int* out)
{
    __shared__ int values[2][128];
    cg::thread_block cta = cg::this_thread_block();
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(&values[i & 1][threadIdx.x], &in[i * 128 + threadIdx.x], sizeof(int), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        __syncthreads();
        sum += values[i & 1][(threadIdx.x + i + 1) % 128];
        pipe.consumer_release();
        cta.sync();
    }
    cg::memcpy_async(cta, values[0], in, sizeof values[0]);
    cg::wait(cta);
    for (int i = cta.size() / 2; i > 0; i /= 2) {
        cta.sync();
        if (threadIdx.x < i)
            values[0][threadIdx.x] += values[0][threadIdx.x + i];
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        atomicAdd(out, 1000 * values[0][0]);
}

// Lanes transfer parts of matrices that other lanes have written or read. The others compute something else.
__global__ void matrices(int* out)
{
    using namespace nvcuda;
    typedef wmma::fragment<wmma::accumulator, 16, 16, 16, int> Sums;
    __shared__ signed char factors[2][256];
    __shared__ int sums[2][256];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Sums sum[2], *const second = &sum[1];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
    for (int i = lane; i < 256; i += 32) {
        factors[warp][i] = static_cast<signed char>(i % 7 - 3 + warp);
        sums[warp][i] = i;
    }
    wmma::load_matrix_sync(a, factors[warp], 16);
    if (warp == 1) {
        for (int i = 0; i < 2; ++i)
            wmma::load_matrix_sync(sum[i], sums[warp], 16, i ? wmma::mem_row_major : wmma::mem_col_major);
        load_matrix_sync(b, &factors[warp][0], 16);
        wmma::mma_sync(*second, a, b, sum[0]);
        wmma::store_matrix_sync(sums[warp], *second, 16, wmma::mem_row_major);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64)
        out[i] = sums[1][255 - i];
}

template <class Group> __device__ int of_group(Group group, int value)
{
    group.sync();
    return value + group.thread_rank();
}
__global__ void deduced_group(int* out)
{
    cg::thread_block cta = cg::this_thread_block();
    out[threadIdx.x] = of_group(cta, 2);
}

int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    sums<<<1, THREADS>>>(results);
    check("sums", 2, [](int i) { return i == 0 ? THREADS * (THREADS - 1) / 2 : THREADS / 2; });
    tiles<<<1, THREADS>>>(results);
    check("tiles", THREADS, [](int i) {
        const int above = i % 4 == 0 ? i : i - 1;
        return 1000 * (i / 16 * 16 + (i + 1) % 16) + above + (i ^ 2) + 100000000 * (i % 4);
    });
    some_tiles<<<1, THREADS>>>(results);
    check("some_tiles", THREADS, [](int i) {
        const int tile = i / 8;
        return tile % 3 == 1 ? 100 * 0xaa + 10 * (tile == 1) : tile;
    });
    reductions<<<1, THREADS>>>(results);
    check("reductions", THREADS, [](int i) {
        int sum = 0, most = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            sum += j;
        for (int j = i / 4 * 4; j < i / 4 * 4 + 4; ++j)
            most = j * 7 % 5 > most ? j * 7 % 5 : most;
        return sum + 10000 * most + 1000000 * 5;
    });
    ranks<<<1, THREADS>>>(results);
    check("ranks", THREADS, [](int i) {
        const int j = THREADS - 1 - i;
        return (j % 8 < 2) + 2 * (j % 8 == 5) + 4 * (j >= 90);
    });
    places<<<1, THREADS>>>(results);
    check("places", THREADS, [](int i) {
        return 24000 + 100 * (i % 16 / 4) + 20 + i % 4 / 2;
    });
    without_variable<<<1, THREADS>>>(results);
    check("without_variable", THREADS, [](int i) { return 2 * ((i + 1) % THREADS) + 3; });
    any_group<<<1, THREADS>>>(results);
    check("any_group", THREADS, [](int i) { return i + 1; });
    objects<<<1, 128>>>(results, 16);
    check("objects", 128, [](int i) {
        const int first = i % 16 == 0 ? 16 * i + 120 : 0, base = i / 4 * 4;
        int ballot = 0;
        for (int j = 0; j < 4; ++j)
            ballot |= ((base + j) % 3 == 0) << j;
        const int value = i >= 64 ? i
                                  : i + (i % 4 < 3) + 10 * (base + 2) + 100 * ballot +
                                        10000 * (i % 4 < 2 ? i : i - 2) + 1000000 * (i ^ 3);
        return value + first + (i == 0 ? 128 : 0);
    });
    lanes_here<<<1, 96>>>(results);
    check("lanes_here", 96, [](int i) {
        int count = 0, rank = 0, second = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            rank += j % 5 < 2 && j < i;
            second = j % 5 < 2 && ++count == 2 ? j : second;
        }
        return i % 5 < 2 ? second + 1000 * count + 100000 * rank : i;
    });
    int* copied;
    if (cudaMallocManaged(&copied, 384 * sizeof *copied) != cudaSuccess)
        return 1;
    for (int i = 0; i < 384; ++i)
        copied[i] = i * 5 % 11;
    copies<<<1, 128>>>(copied, results);
    check("copies", 128, [](int i) {
        int sum = 0, all = 0;
        for (int j = 0; j < 3; ++j)
            sum += (j * 128 + (i + j + 1) % 128) * 5 % 11;
        for (int j = 0; j < 128; ++j)
            all += j * 5 % 11;
        return sum + (i == 0 ? 1000 * all : 0);
    });
    matrices<<<1, 64>>>(results);
    check("matrices", 256, [](int i) {
        const int row = (255 - i) / 16, column = (255 - i) % 16;
        int sum = column * 16 + row;
        for (int k = 0; k < 16; ++k)
            sum += ((row * 16 + k) % 7 - 2) * ((column * 16 + k) % 7 - 2);
        return sum;
    });
    deduced_group<<<1, THREADS>>>(results);
    check("deduced_group", THREADS, [](int i) { return i + 2; });
    std::printf("done\n");
}
