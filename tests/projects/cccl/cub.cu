// CUB's algorithms for blocks and warps, compared with plain loops.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

constexpr int threads = 64;
constexpr int items = 3;
constexpr int size = threads * items;
int failures = 0;

template <class T>
void expect(const char* what, int place, T found, T expected) {
    if (found == expected) return;
    if (failures++ < 10)
        std::printf("%s %d: %g instead of %g\n", what, place, double(found), double(expected));
}

}  // namespace

template <class T>
struct Results {
    T sorted[size], sums[size], descending[size];
    T warp_sum[threads], warp_max[threads], warp_scan[threads], part_sum[threads];
    T segment_sum[threads];
    T raking, commutative, streamed;
    int heads[size];
};

template <class T>
__global__ void run(const T* in, Results<T>* out) {
    using Load = cub::BlockLoad<T, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<T, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Flags = cub::BlockStore<int, threads, items>;
    using Sort = cub::BlockRadixSort<T, threads, items>;
    using Merge = cub::BlockMergeSort<T, threads, items>;
    using Scan = cub::BlockScan<T, threads, cub::BLOCK_SCAN_RAKING>;
    using Raking = cub::BlockReduce<T, threads, cub::BLOCK_REDUCE_RAKING>;
    using Commutative = cub::BlockReduce<T, threads, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
    using Heads = cub::BlockDiscontinuity<T, threads>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Flags::TempStorage flags;
        typename Sort::TempStorage sort;
        typename Merge::TempStorage merge;
        typename Scan::TempStorage scan;
        typename Raking::TempStorage raking;
        typename Commutative::TempStorage commutative;
        typename Heads::TempStorage heads;
    } shared;

    T values[items], stored[items], sums[items];  // storing rearranges an array
    int heads[items];
    Load(shared.load).Load(in, values);
    __syncthreads();
    Sort(shared.sort).Sort(values);
    __syncthreads();
    for (int i = 0; i < items; ++i) stored[i] = values[i];
    Store(shared.store).Store(out->sorted, stored);
    __syncthreads();
    Scan(shared.scan).ExclusiveSum(values, sums);
    __syncthreads();
    Store(shared.store).Store(out->sums, sums);
    __syncthreads();
    const T raking = Raking(shared.raking).Sum(values);
    __syncthreads();
    const T commutative = Commutative(shared.commutative).Sum(values);
    __syncthreads();
    Heads(shared.heads).FlagHeads(heads, values, ::cuda::std::not_equal_to<>{});
    __syncthreads();
    Flags(shared.flags).Store(out->heads, heads);
    __syncthreads();
    Merge(shared.merge).Sort(values, [](T a, T b) { return a > b; });
    __syncthreads();
    Store(shared.store).Store(out->descending, values);

    using Reduce = cub::WarpReduce<T>;
    using WarpScan = cub::WarpScan<T>;
    using PartReduce = cub::WarpReduce<T, 8>;
    __shared__ typename Reduce::TempStorage reduce[threads / 32];
    __shared__ typename WarpScan::TempStorage scan[threads / 32];
    __shared__ typename PartReduce::TempStorage part[threads / 8];
    const int i = static_cast<int>(threadIdx.x);
    const T value = in[i];
    out->warp_sum[i] = Reduce(reduce[i / 32]).Sum(value);
    out->warp_max[i] = Reduce(reduce[i / 32]).Reduce(value, ::cuda::maximum<>{}, 20);
    WarpScan(scan[i / 32]).InclusiveSum(value, out->warp_scan[i]);
    out->part_sum[i] = PartReduce(part[i / 8]).Sum(value);
    out->segment_sum[i] = Reduce(reduce[i / 32]).HeadSegmentedSum(value, i % 10 == 0);
    if (i == 0) {
        out->raking = raking;
        out->commutative = commutative;
        cub::ThreadStore<cub::STORE_CS>(&out->streamed, cub::ThreadLoad<cub::LOAD_CG>(in + 1));
    }
}

template <class T>
T sum(const std::vector<T>& values, int first, int last) {
    T result = 0;
    for (int i = first; i < last; ++i) result = static_cast<T>(result + values[i]);
    return result;
}

template <class T>
void check(const char* type) {
    std::vector<T> in(size);
    for (int i = 0; i < size; ++i) in[i] = static_cast<T>((i * 7919 + 13) % 127 / T(4));
    T* values;
    Results<T>* out;
    cudaMallocManaged(&values, size * sizeof(T));
    cudaMallocManaged(&out, sizeof *out);
    std::copy(in.begin(), in.end(), values);
    run<<<1, threads>>>(values, out);
    if (cudaDeviceSynchronize() != cudaSuccess) ++failures;

    std::vector<T> sorted = in;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < size; ++i) {
        expect(type, i, out->sorted[i], sorted[i]);
        expect(type, i, out->sums[i], sum(sorted, 0, i));
        expect(type, i, out->descending[i], sorted[size - 1 - i]);
        expect(type, i, out->heads[i], int(i == 0 || sorted[i] != sorted[i - 1]));
    }
    expect(type, -1, out->raking, sum(in, 0, size));
    expect(type, -2, out->commutative, sum(in, 0, size));
    expect(type, -3, out->streamed, in[1]);
    for (int i = 0; i < threads; ++i) {
        const int warp = i / 32 * 32;
        expect(type, i, out->warp_scan[i], sum(in, warp, i + 1));
        if (i % 8 == 0) expect(type, i, out->part_sum[i], sum(in, i, i + 8));
        if (i % 10 == 0 || i == warp) {
            const int end = std::min(i / 10 * 10 + 10, warp + 32);
            expect(type, i, out->segment_sum[i], sum(in, i, end));
        }
        if (i == warp) {
            expect(type, i, out->warp_sum[i], sum(in, warp, warp + 32));
            expect(type, i, out->warp_max[i], *std::max_element(&in[warp], &in[warp] + 20));
        }
    }
    cudaFree(values);
    cudaFree(out);
}

int main() {
    check<int>("int");
    check<unsigned>("unsigned");
    check<float>("float");
    check<double>("double");
    check<long long>("long long");
    check<unsigned long long>("unsigned long long");
    check<short>("short");
    return failures != 0;
}
