// CUB's algorithms for devices, compared with plain loops. Prints what differs.
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr int size = 200000;
int failures = 0;

void expect(const char* what, bool is_right) {
    if (is_right) return;
    std::printf("%s differs\n", what);
    ++failures;
}
template <class T>
T* allocate(size_t count) {
    T* memory = nullptr;
    cudaMallocManaged(&memory, count * sizeof(T));
    return memory;
}
template <class T>
bool is_equal(const T* found, const std::vector<T>& expected) {
    return std::equal(expected.begin(), expected.end(), found);
}

// Calls an algorithm twice, as CUB documents.
template <class F>
void run(const char* what, F algorithm) {
    void* storage = nullptr;
    size_t bytes = 0;
    expect(what, algorithm(storage, bytes) == cudaSuccess && bytes > 0);
    cudaMalloc(&storage, bytes);
    expect(what, algorithm(storage, bytes) == cudaSuccess);
    expect(what, cudaDeviceSynchronize() == cudaSuccess);
    cudaFree(storage);
}
#define RUN(function, ...) \
    run(#function, [&](void* storage, size_t& bytes) { return cub::function(storage, bytes, __VA_ARGS__); })

}  // namespace

struct IsEven {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct IsSmall {
    __host__ __device__ bool operator()(int x) const { return x < 100; }
};
struct Twice {
    __device__ int operator()(int x) const { return 2 * x; }
};
struct Greater {
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) const {
        return b < a;
    }
};
struct Last {  // not commutative
    __device__ int operator()(int, int b) const { return b; }
};
struct Set {
    int* target;
    __device__ void operator()(int i) const { atomicAdd(&target[i % 10], 1); }
};
struct Pair {
    short high;
    unsigned low;
};
struct Decompose {
    __host__ __device__ ::cuda::std::tuple<short&, unsigned&> operator()(Pair& p) const { return {p.high, p.low}; }
};

void test_reductions(const int* in, const std::vector<int>& v) {
    auto* sum = allocate<long long>(4);
    RUN(DeviceReduce::Sum, in, sum, size);
    expect("Sum", *sum == std::accumulate(v.begin(), v.end(), 0ll));
    RUN(DeviceReduce::Min, in, sum, size);
    expect("Min", *sum == *std::min_element(v.begin(), v.end()));
    RUN(DeviceReduce::Reduce, in, sum, size, Last{}, -1);
    expect("Reduce", *sum == v.back());
    RUN(DeviceReduce::Reduce, in, sum, 0, ::cuda::std::plus<>{}, 42);
    expect("Reduce of nothing", *sum == 42);
    RUN(DeviceReduce::TransformReduce, in, sum, size, ::cuda::std::plus<>{}, Twice{}, 1);
    auto* best = allocate<cub::KeyValuePair<int, int>>(1);
    RUN(DeviceReduce::ArgMax, in, best, size);
    expect("ArgMax", best->key == std::max_element(v.begin(), v.end()) - v.begin());
    auto squares = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Twice{});
    RUN(DeviceReduce::Sum, squares, sum, 1000);
    expect("Sum of an iterator", *sum == 999000);
    auto* offsets = allocate<int>(101);
    for (int i = 0; i <= 100; ++i) offsets[i] = i * i;
    auto* sums = allocate<int>(100);
    RUN(DeviceSegmentedReduce::Sum, in, sums, 100, offsets, offsets + 1);
    expect("Sum of segments", sums[9] == std::accumulate(v.begin() + 81, v.begin() + 100, 0));
}

void test_scans(const int* in, const std::vector<int>& v) {
    auto* out = allocate<int>(size);
    std::vector<int> sums(size);
    std::partial_sum(v.begin(), v.end(), sums.begin());
    RUN(DeviceScan::InclusiveSum, in, out, size);
    expect("InclusiveSum", is_equal(out, sums));
    RUN(DeviceScan::ExclusiveSum, in, out, size);
    expect("ExclusiveSum", out[0] == 0 && std::equal(out + 1, out + size, sums.begin()));
    std::copy(v.begin(), v.end(), out);
    RUN(DeviceScan::InclusiveScan, out, ::cuda::std::plus<>{}, size);
    expect("InclusiveScan in place", is_equal(out, sums));
    auto* init = allocate<int>(1);
    *init = 7;
    RUN(DeviceScan::ExclusiveScan, in, out, ::cuda::std::plus<>{}, cub::FutureValue<int>(init), size);
    expect("ExclusiveScan", out[0] == 7 && out[size - 1] == 7 + sums[size - 2]);
    auto* keys = allocate<int>(size);
    for (int i = 0; i < size; ++i) keys[i] = i / 10;
    RUN(DeviceScan::InclusiveSumByKey, keys, in, out, size);
    expect("InclusiveSumByKey", out[10] == v[10] && out[19] == sums[19] - sums[9]);
}

void test_selections(const int* in, const std::vector<int>& v) {
    auto* out = allocate<int>(size);
    auto* rest = allocate<int>(size);
    auto* count = allocate<int>(2);
    std::vector<int> even, odd;
    for (int x : v) (x % 2 == 0 ? even : odd).push_back(x);
    RUN(DeviceSelect::If, in, out, count, size, IsEven{});
    expect("If", *count == static_cast<int>(even.size()) && is_equal(out, even));
    auto* flags = allocate<char>(size);
    for (int i = 0; i < size; ++i) flags[i] = v[i] % 2 == 0;
    RUN(DeviceSelect::Flagged, in, flags, out, count, size);
    expect("Flagged", *count == static_cast<int>(even.size()) && is_equal(out, even));
    std::copy(v.begin(), v.end(), out);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    void* storage = nullptr;
    size_t bytes = 0;
    cub::DeviceSelect::Flagged(storage, bytes, out, flags, count, size, stream);
    cudaMalloc(&storage, bytes);
    cub::DeviceSelect::Flagged(storage, bytes, out, flags, count, size, stream);
    cudaStreamSynchronize(stream);
    expect("Flagged in place", is_equal(out, even));
    RUN(DevicePartition::If, in, out, count, size, IsEven{});
    std::reverse(odd.begin(), odd.end());
    expect("partition", is_equal(out, even) && is_equal(out + even.size(), odd));
    RUN(DevicePartition::If, in, out, rest, flags, count, size, IsSmall{}, IsEven{});
    expect("three parts", std::all_of(rest, rest + count[1], IsEven{}) && !std::any_of(rest, rest + count[1], IsSmall{}));
    auto* keys = allocate<int>(size);
    for (int i = 0; i < size; ++i) keys[i] = i / 7;
    RUN(DeviceSelect::Unique, keys, out, count, size);
    expect("Unique", *count == (size + 6) / 7 && out[5] == 5);
    RUN(DeviceSelect::UniqueByKey, keys, in, out, rest, count, size);
    expect("UniqueByKey", *count == (size + 6) / 7 && rest[5] == v[35]);
    RUN(DeviceRunLengthEncode::Encode, keys, out, rest, count, size);
    expect("Encode", *count == (size + 6) / 7 && out[5] == 5 && rest[5] == 7);
    keys[0] = -1;
    RUN(DeviceRunLengthEncode::NonTrivialRuns, keys, out, rest, count, size);
    expect("NonTrivialRuns", out[0] == 1 && rest[0] == 6 && out[1] == 7);
}

template <class K, class Make>
void test_radix_sort(const char* what, Make make) {
    auto* in = allocate<K>(size);
    auto* out = allocate<K>(size);
    auto* values = allocate<int>(size);
    auto* values_out = allocate<int>(size);
    for (int i = 0; i < size; ++i) {
        in[i] = make(i);
        values[i] = i;
    }
    std::vector<int> order(size);
    std::iota(order.begin(), order.end(), 0);
    auto ascending = order, descending = order;
    std::stable_sort(ascending.begin(), ascending.end(), [&](int a, int b) { return in[a] < in[b]; });
    std::stable_sort(descending.begin(), descending.end(), [&](int a, int b) { return in[b] < in[a]; });
    RUN(DeviceRadixSort::SortPairs, in, out, values, values_out, size);
    expect(what, is_equal(values_out, ascending) && out[7] == in[ascending[7]] && in[3] == make(3));
    RUN(DeviceRadixSort::SortPairsDescending, in, out, values, values_out, size);
    expect(what, is_equal(values_out, descending) && out[7] == in[descending[7]]);
    cub::DoubleBuffer<K> keys(in, out);
    cub::DoubleBuffer<int> both(values, values_out);
    RUN(DeviceRadixSort::SortPairs, keys, both, size);
    expect(what, is_equal(both.Current(), ascending) && std::is_sorted(keys.Current(), keys.Current() + size));
}

void test_sorts(const std::vector<int>& v) {
    test_radix_sort<int>("int", [](int i) { return (i * 7919) % 1000 - 500; });
    test_radix_sort<unsigned char>("unsigned char", [](int i) { return (i * 31) % 256; });
    test_radix_sort<double>("double", [](int i) { return i % 5 ? (i * 7919 % 1000 - 500) / 8.0 : i % 2 ? -0.0 : 0.0; });
    test_radix_sort<long long>("long long", [](int i) { return (i * 104729ll % 1000003 - 500000) << 20; });
    auto* keys = allocate<int>(size);
    auto* other = allocate<int>(size);
    std::copy(v.begin(), v.end(), keys);
    auto sorted = v;
    std::stable_sort(sorted.begin(), sorted.end(), [](int a, int b) { return (a >> 4 & 15) < (b >> 4 & 15); });
    RUN(DeviceRadixSort::SortKeys, keys, other, size, 4, 8);
    expect("some bits", is_equal(other, sorted));
    RUN(DeviceMergeSort::SortKeys, keys, size, Greater{});
    expect("SortKeys", std::is_sorted(keys, keys + size, Greater{}));
    std::iota(other, other + size, 0);
    std::copy(v.begin(), v.end(), keys);
    RUN(DeviceMergeSort::StableSortPairs, keys, other, size, ::cuda::std::less<>{});
    expect("StableSortPairs", v[other[1000]] == keys[1000] && std::is_sorted(keys, keys + size));
    auto* pairs = allocate<Pair>(1000);
    auto* pairs_out = allocate<Pair>(1000);
    for (int i = 0; i < 1000; ++i) pairs[i] = {static_cast<short>(i % 7 - 3), static_cast<unsigned>(i * 37 % 101)};
    RUN(DeviceRadixSort::SortKeys, pairs, pairs_out, 1000, Decompose{});
    expect("decomposed", std::is_sorted(pairs_out, pairs_out + 1000, [](const Pair& a, const Pair& b) {
               return a.high != b.high ? a.high < b.high : a.low < b.low;
           }));
    auto* offsets = allocate<int>(101);
    for (int i = 0; i <= 100; ++i) offsets[i] = i * 20;
    std::copy(v.begin(), v.end(), keys);
    RUN(DeviceSegmentedSort::SortKeys, keys, other, 2000, 100, offsets, offsets + 1);
    expect("segments", std::is_sorted(other + 40, other + 60) && std::is_permutation(other + 40, other + 60, v.begin() + 40));
    RUN(DeviceSegmentedRadixSort::SortKeysDescending, keys, other, 2000, 100, offsets, offsets + 1);
    expect("segments", std::is_sorted(other + 40, other + 60, Greater{}));
}

void test_others(int* in, const std::vector<int>& v) {
    auto* out = allocate<int>(size);
    std::fill(out, out + 10, 0);
    expect("Bulk", cub::DeviceFor::Bulk(size, Set{out}) == cudaSuccess);
    cudaDeviceSynchronize();
    expect("Bulk", out[3] == size / 10);
    cub::DeviceFor::ForEach(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(size), Set{out});
    cudaDeviceSynchronize();
    expect("ForEach", out[3] == size / 5);
    cub::DeviceTransform::Transform(::cuda::std::make_tuple(in, in), out, size, ::cuda::std::plus<>{});
    cudaDeviceSynchronize();
    expect("Transform", out[17] == 2 * v[17]);
    RUN(DeviceAdjacentDifference::SubtractLeftCopy, in, out, size);
    expect("SubtractLeftCopy", out[0] == v[0] && out[9] == v[9] - v[8]);
    RUN(DeviceHistogram::HistogramEven, in, out, 11, 0, 1000, size);
    expect("HistogramEven", out[2] == std::count_if(v.begin(), v.end(), [](int x) { return x / 100 == 2; }));
    auto* levels = allocate<int>(3);
    levels[0] = 10, levels[1] = 20, levels[2] = 500;
    RUN(DeviceHistogram::HistogramRange, in, out, 3, levels, size);
    expect("HistogramRange", out[0] == std::count_if(v.begin(), v.end(), [](int x) { return x >= 10 && x < 20; }));
    auto** from = allocate<int*>(2);
    auto** to = allocate<int*>(2);
    from[0] = in, from[1] = in + 50, to[0] = out + 100, to[1] = out;
    levels[0] = 40, levels[1] = 400;
    RUN(DeviceMemcpy::Batched, from, to, levels, 2);
    expect("Batched", out[109] == v[9] && out[99] == v[149]);
    auto* merged = allocate<int>(8);
    out[0] = 1, out[1] = 5, out[2] = 9, out[10] = 2, out[11] = 5;
    RUN(DeviceMerge::MergeKeys, out, 3, out + 10, 2, merged);
    expect("MergeKeys", std::is_sorted(merged, merged + 5) && merged[4] == 9);
    cub::CachingDeviceAllocator allocator;
    void* memory = nullptr;
    expect("allocator", allocator.DeviceAllocate(&memory, 1000) == cudaSuccess && allocator.DeviceFree(memory) == cudaSuccess);
}

int main() {
    std::vector<int> v(size);
    for (int i = 0; i < size; ++i) v[i] = i * 7919ll % 1009;
    int* in = allocate<int>(size);
    std::copy(v.begin(), v.end(), in);
    test_reductions(in, v);
    test_scans(in, v);
    test_selections(in, v);
    test_sorts(v);
    test_others(in, v);
    return failures != 0;
}
