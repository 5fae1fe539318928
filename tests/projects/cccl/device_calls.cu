// CUB's algorithms for devices that CCCL 3.5 has, and ways to call them, compared with plain loops. Prints what differs.
#include <cub/cub.cuh>
#include <cub/device/device_batched_topk.cuh>
#include <cub/device/device_find.cuh>
#include <cub/device/device_segmented_scan.cuh>
#include <cub/device/device_topk.cuh>
#include <cuda/buffer>
#include <cuda/iterator>
#include <cuda/memory_pool>
#include <cuda/std/mdspan>
#include <cuda/stream>
#include <cuda/stream_ref>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

namespace {

int failures = 0;

#define EXPECT(...) \
    if (!(__VA_ARGS__)) { \
        std::printf("line %d: %s\n", __LINE__, #__VA_ARGS__); \
        ++failures; \
    }
template <class T>
T* allocate(size_t count) {
    T* memory = nullptr;
    cudaMallocManaged(&memory, count * sizeof(T));
    return memory;
}
bool wait() { return cudaDeviceSynchronize() == cudaSuccess; }
// Calls an algorithm twice, as CUB documents.
#define RUN(function, ...) \
    { \
        void* storage = nullptr; \
        size_t bytes = 0; \
        EXPECT(cub::function(storage, bytes, __VA_ARGS__) == cudaSuccess && bytes > 0) \
        cudaMalloc(&storage, bytes); \
        EXPECT(cub::function(storage, bytes, __VA_ARGS__) == cudaSuccess && wait()) \
        cudaFree(storage); \
    }

struct Above {
    int limit;
    __device__ bool operator()(int x) const { return x > limit; }
};
struct Store {
    int* target;
    __device__ void operator()(int i, int row, int column) const { target[i] = 100 * row + column; }
};
struct Sum {
    __device__ int operator()(int a, int b) const { return a + b; }
};
struct Both {
    __device__ ::cuda::std::tuple<int, long long> operator()(int x) const { return {x + 1, 2ll * x}; }
};
// Counts what it allocates.
struct Resource {
    int* count;
    void* allocate(::cuda::stream_ref stream, size_t bytes, size_t) {
        void* memory = nullptr;
        ++*count;
        cudaMallocAsync(&memory, bytes, stream.get());
        return memory;
    }
    void deallocate(::cuda::stream_ref stream, void* memory, size_t, size_t) noexcept { cudaFreeAsync(memory, stream.get()); }
    void* allocate_sync(size_t bytes, size_t) {
        void* memory = nullptr;
        cudaMalloc(&memory, bytes);
        return memory;
    }
    void deallocate_sync(void* memory, size_t, size_t) noexcept { cudaFree(memory); }
    bool operator==(const Resource& other) const { return count == other.count; }
    bool operator!=(const Resource& other) const { return count != other.count; }
    friend void get_property(const Resource&, ::cuda::mr::device_accessible) noexcept {}
};

void test_searches(int* v, int n) {
    auto* found = allocate<int>(8);
    RUN(DeviceFind::FindIf, v, found, Above{v[n / 2]}, n)
    EXPECT(*found == std::find_if(v, v + n, [=](int x) { return x > v[n / 2]; }) - v)
    RUN(DeviceFind::FindIf, v, found, Above{1 << 30}, n)
    EXPECT(*found == n)
    auto* sorted = allocate<int>(n);
    std::copy(v, v + n, sorted);
    std::sort(sorted, sorted + n);
    auto* values = allocate<int>(3);
    values[0] = -5, values[1] = sorted[n / 3], values[2] = 1 << 30;
    size_t count = n;
    RUN(DeviceFind::LowerBound, sorted, count, values, 3, found, ::cuda::std::less<>{})
    for (int i = 0; i < 3; ++i) EXPECT(found[i] == std::lower_bound(sorted, sorted + n, values[i]) - sorted)
    EXPECT(cub::DeviceFind::UpperBound(sorted, count, values, 3, found, ::cuda::std::less<>{}) == cudaSuccess && wait())
    for (int i = 0; i < 3; ++i) EXPECT(found[i] == std::upper_bound(sorted, sorted + n, values[i]) - sorted)
    RUN(DeviceFind::UpperBoundSortedValues, sorted, count, values, 3, found, ::cuda::std::less<>{}, nullptr)
    EXPECT(found[2] == n)
}

void test_best_elements(const int* v, int n) {
    constexpr int k = 7;
    auto* keys = allocate<int>(n);
    auto* values = allocate<int>(n);
    auto* indices = allocate<int>(n);
    std::iota(indices, indices + n, 0);
    auto env = ::cuda::std::execution::env{::cuda::execution::require(
        ::cuda::execution::determinism::not_guaranteed, ::cuda::execution::output_ordering::unsorted)};
    std::vector<int> sorted(v, v + n);
    std::sort(sorted.begin(), sorted.end());
    RUN(DeviceTopK::MinKeys, v, keys, n, k, env)
    EXPECT(std::is_permutation(keys, keys + k, sorted.begin()))
    EXPECT(cub::DeviceTopK::MaxPairs(v, keys, indices, values, n, k, env) == cudaSuccess && wait())
    EXPECT(std::is_permutation(keys, keys + k, sorted.end() - k) && v[values[3]] == keys[3])
    RUN(DeviceTopK::MaxKeys, v, keys, 3, 10, env)
    EXPECT(std::is_permutation(keys, keys + 3, v))
    RUN(DeviceTopK::MinKeys, v, keys, n, n, env)
    EXPECT(std::equal(sorted.begin(), sorted.end(), keys))
    auto batched = ::cuda::std::execution::env{::cuda::execution::require(
        ::cuda::execution::determinism::not_guaranteed, ::cuda::execution::tie_break::unspecified,
        ::cuda::execution::output_ordering::unsorted)};
    auto ins = ::cuda::make_strided_iterator(::cuda::make_counting_iterator(v), 10);
    auto outs = ::cuda::make_strided_iterator(::cuda::make_counting_iterator(keys), 2);
    RUN(DeviceBatchedTopK::MaxKeys, ins, outs, ::cuda::args::constant<10>{}, 2, ::cuda::args::immediate{3}, batched)
    for (int s = 0; s < 3; ++s) EXPECT(*std::max_element(keys + 2 * s, keys + 2 * s + 2) == *std::max_element(v + 10 * s, v + 10 * s + 10))
}

void test_scans(const int* v, int n) {
    auto* out = allocate<int>(n);
    std::vector<int> sums(n);
    std::partial_sum(v, v + n, sums.begin());
    RUN(DeviceScan::InclusiveScanInit, v, out, Sum{}, 5, n)
    for (int i : {0, 1, 65535, 65536, 65537, n - 1}) EXPECT(out[i] == sums[i] + 5)
    EXPECT(cub::DeviceScan::ExclusiveScan(v, out, Sum{}, 3, n, cudaStream_t{}) == cudaSuccess && wait())
    for (int i : {1, 65536, 65537, 131073, n - 1}) EXPECT(out[i] == sums[i - 1] + 3)
    std::copy(v, v + n, out);
    RUN(DeviceScan::InclusiveSum, out, n)
    EXPECT(std::equal(sums.begin(), sums.end(), out))
    auto* begins = allocate<long long>(4);
    begins[0] = 0, begins[1] = 10, begins[2] = 10, begins[3] = 50;
    RUN(DeviceSegmentedScan::ExclusiveSegmentedSum, v, out, begins, begins + 1, 3)
    EXPECT(out[0] == 0 && out[9] == sums[8] && out[10] == 0 && out[49] == sums[48] - sums[9])
    auto* places = allocate<int>(3);
    places[0] = 100, places[1] = 0, places[2] = 0;
    EXPECT(cub::DeviceSegmentedScan::InclusiveSegmentedScanInit(v, out, begins, begins + 1, places, 3, Sum{}, 1) == cudaSuccess && wait())
    EXPECT(out[100] == v[0] + 1 && out[109] == sums[9] + 1 && out[39] == sums[49] - sums[9] + 1)
}

void test_ways_to_call(const int* v, int n) {
    auto* out = allocate<int>(n);
    auto* sum = allocate<int>(2);
    ::cuda::stream stream{::cuda::devices[0]};
    int count = 0;
    auto env = ::cuda::std::execution::env{::cuda::stream_ref{stream}, ::cuda::std::execution::prop{::cuda::mr::get_memory_resource_t{}, Resource{&count}}};
    EXPECT(cub::DeviceReduce::Sum(v, sum, n, env) == cudaSuccess)
    stream.sync();
    EXPECT(*sum == std::accumulate(v, v + n, 0) && count == 1)
    EXPECT(cub::DeviceReduce::Reduce(v, sum, n, Sum{}, 1, stream) == cudaSuccess)
    stream.sync();
    EXPECT(*sum == std::accumulate(v, v + n, 1))
    EXPECT(cub::DeviceRadixSort::SortKeys(v, out, n, 0, 32, env) == cudaSuccess)
    stream.sync();
    EXPECT(std::is_sorted(out, out + n) && count == 2)
    EXPECT(cub::DeviceRadixSort::SortKeysDescending(v, out, n, env) == cudaSuccess)
    stream.sync();
    EXPECT(std::is_sorted(out, out + n, std::greater<>{}))
    RUN(DeviceRadixSort::SortKeys<int>, v, out, n, 0, 32, 0)
    EXPECT(std::is_sorted(out, out + n))
    size_t bytes = 0;
    EXPECT(cub::DeviceReduce::Max(NULL, bytes, v, sum, n) == cudaSuccess && bytes > 0)
    EXPECT(cub::DeviceSelect::If(v, out, sum, n, Above{500}, env) == cudaSuccess)
    stream.sync();
    EXPECT(*sum == std::count_if(v, v + n, [](int x) { return x > 500; }))
    EXPECT(cub::DeviceMergeSort::SortKeysCopy(v, out, n, ::cuda::std::less<>{}, env) == cudaSuccess)
    stream.sync();
    EXPECT(std::is_sorted(out, out + n))
    std::copy(v, v + 20, out), std::sort(out, out + 10), std::sort(out + 10, out + 20);
    size_t half = 10;
    EXPECT(cub::DeviceMerge::MergeKeys(out, half, out + 10, half, out + 50, ::cuda::std::less<>{}, env) == cudaSuccess)
    stream.sync();
    EXPECT(std::is_sorted(out + 50, out + 70))
    EXPECT(cub::DeviceAdjacentDifference::SubtractLeftCopy(v, out, n, env) == cudaSuccess)
    stream.sync();
    EXPECT(out[5] == v[5] - v[4])
    EXPECT(cub::DeviceHistogram::HistogramEven(v, out, 11, 0, 1000, n, env) == cudaSuccess)
    stream.sync();
    EXPECT(out[0] == std::count_if(v, v + n, [](int x) { return x < 100; }))
}

void test_loops(const int* v) {
    auto* out = allocate<int>(200);
    auto* other = allocate<long long>(200);
    ::cuda::std::extents<int, 3, ::cuda::std::dynamic_extent> extents{4};
    EXPECT(cub::DeviceFor::ForEachInExtents(extents, Store{out}) == cudaSuccess && wait())
    EXPECT(out[0] == 0 && out[1] == 1 && out[4] == 100 && out[11] == 203)
    ::cuda::std::layout_left::mapping<decltype(extents)> mapping{extents};
    RUN(DeviceFor::ForEachInLayout, mapping, Store{out})
    EXPECT(out[1] == 100 && out[3] == 1 && out[11] == 203)
    EXPECT(cub::DeviceTransform::Transform(::cuda::std::tuple{v}, ::cuda::std::tuple{out, other}, 50, Both{}) == cudaSuccess && wait())
    EXPECT(out[20] == v[20] + 1 && other[49] == 2ll * v[49])
    EXPECT(cub::DeviceTransform::Fill(out, 100, 7) == cudaSuccess && wait() && out[99] == 7)
    ::cuda::std::mdspan<const int, decltype(extents)> from{v, extents};
    ::cuda::std::mdspan<int, decltype(extents), ::cuda::std::layout_left> to{out, mapping};
    EXPECT(cub::DeviceCopy::Copy(from, to) == cudaSuccess && wait())
    EXPECT(out[1] == v[4] && out[3] == v[1])
}

}  // namespace

int main() {
    constexpr int n = 200000;
    int* v = allocate<int>(n);
    for (int i = 0; i < n; ++i) v[i] = i * 7919ll % 1009;
    test_searches(v, n);
    test_best_elements(v, n);
    test_scans(v, n);
    test_ways_to_call(v, n);
    test_loops(v);
    return failures != 0;
}
