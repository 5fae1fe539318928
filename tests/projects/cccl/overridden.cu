// What headers of kbuild override in CUB, compared with plain loops.
#include <cub/block/block_radix_rank.cuh>
#include <cub/cub.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>

namespace {

constexpr int threads = 64;
constexpr int bits = 4;
int failures = 0;

void expect(const char* what, int place, long long found, long long expected) {
    if (found == expected) return;
    if (failures++ < 10) std::printf("%s %d: %lld instead of %lld\n", what, place, found, expected);
}

}  // namespace

struct Pair {  // two words and a part of one
    int first;
    long long second;
    short third;
};

struct Larger {
    __device__ Pair operator()(const Pair& a, const Pair& b) const { return b.second > a.second ? b : a; }
};

struct Results {
    Pair up[threads], down[threads], largest[threads], running[threads];
    unsigned words_up[threads], words_down[threads], matches[threads], parts[threads];
    unsigned bits[threads];
    unsigned long long loaded[threads];
    int ranks[threads], exclusive[threads], keys[threads];
    unsigned char bytes[threads];
};

__device__ Pair make_pair(int i) { return {i, 1000ll * ((i * 37) % 32) + i, static_cast<short>(-i)}; }

template <cub::CacheLoadModifier load, cub::CacheStoreModifier store>
__device__ void copy(const Pair* from, Pair* to) {
    cub::ThreadStore<store>(to, cub::ThreadLoad<load>(from));
}

__global__ void run(const Pair* in, Results* out) {
    using Rank = cub::BlockRadixRankMatch<threads, bits, false>;
    using Digits = cub::BFEDigitExtractor<unsigned>;
    using Reduce = cub::WarpReduce<Pair, 16>;
    using Scan = cub::WarpScan<Pair>;
    using Sum = cub::WarpScan<int>;
    using Sort = cub::BlockRadixSort<int, threads, 1>;
    __shared__ union {
        typename Rank::TempStorage rank;
        typename Sort::TempStorage sort;
    } shared;
    __shared__ typename Reduce::TempStorage reduce[threads / 16];
    __shared__ typename Scan::TempStorage scan[threads / 32];
    __shared__ typename Sum::TempStorage sum[threads / 32];
    const int i = static_cast<int>(threadIdx.x);
    const unsigned key = static_cast<unsigned>(i * 7919 + 13) % 61;

    out->up[i] = cub::ShuffleUp<16>(in[i], 3, 0, 0xFFFFFFFF);
    out->down[i] = cub::ShuffleDown<32>(in[i], 5, 30, 0xFFFFFFFF);
    out->words_up[i] = cub::SHFL_UP_SYNC(key, 1, 0, 0xFFFFFFFF);
    out->words_down[i] = cub::SHFL_DOWN_SYNC(key, 1, 31, 0xFFFFFFFF);
    out->matches[i] = cub::MatchAny<2>(key);
    out->parts[i] = cub::MatchAny<3, 32>(key);
    out->largest[i] = Reduce(reduce[i / 16]).Reduce(in[i], Larger());
    Scan(scan[i / 32]).InclusiveScan(in[i], out->running[i], Larger());
    Sum(sum[i / 32]).ExclusiveScan(i, out->exclusive[i], ::cuda::std::plus<>());

    unsigned keys[1] = {key};
    int ranks[1];
    Rank(shared.rank).RankKeys(keys, ranks, Digits(0, bits));
    out->ranks[i] = ranks[0];
    __syncthreads();
    int sorted[1] = {static_cast<int>(key)};
    Sort(shared.sort).SortDescending(sorted);
    out->keys[i] = sorted[0];

    Pair copies[4];
    copy<cub::LOAD_CA, cub::STORE_CG>(in + i, copies);
    copy<cub::LOAD_CS, cub::STORE_CS>(copies, copies + 1);
    copy<cub::LOAD_CV, cub::STORE_VOLATILE>(copies + 1, copies + 2);
    copy<cub::LOAD_VOLATILE, cub::STORE_WT>(copies + 2, copies + 3);
    cub::CacheModifiedInputIterator<cub::LOAD_LDG, Pair> iterator(copies);
    out->loaded[i] = static_cast<unsigned long long>(iterator[3].second);
    cub::ThreadStore<cub::STORE_WB>(out->bytes + i, static_cast<unsigned char>(i));
    out->bits[i] = cub::BFE(static_cast<unsigned long long>(in[i].second), 3u, 5u);
}

int main() {
    Pair* in;
    Results* out;
    cudaMallocManaged(&in, threads * sizeof(Pair));
    cudaMallocManaged(&out, sizeof *out);
    unsigned keys[threads];
    for (int i = 0; i < threads; ++i) {
        in[i] = {i, 1000ll * ((i * 37) % 32) + i, static_cast<short>(-i)};
        keys[i] = static_cast<unsigned>(i * 7919 + 13) % 61;
    }
    run<<<1, threads>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) ++failures;

    for (int i = 0; i < threads; ++i) {
        const int warp = i / 32 * 32;
        const Pair& up = in[i % 16 < 3 ? i : i - 3];
        const Pair& down = in[i % 32 + 5 > 30 ? i : i + 5];
        expect("up", i, out->up[i].second + out->up[i].third, up.second + up.third);
        expect("down", i, out->down[i].second + out->down[i].third, down.second + down.third);
        expect("word up", i, out->words_up[i], keys[i == warp ? i : i - 1]);
        expect("word down", i, out->words_down[i], keys[i == warp + 31 ? i : i + 1]);
        unsigned two = 0, three = 0, rank = 0;
        int before = 0;
        Pair largest = in[warp];
        for (int j = 0; j < threads; ++j) {
            const bool is_near = j / 32 == i / 32;
            two |= is_near && keys[j] % 4 == keys[i] % 4 ? 1u << j % 32 : 0;
            three |= is_near && keys[j] % 8 == keys[i] % 8 ? 1u << j % 32 : 0;
            rank += keys[j] % 16 < keys[i] % 16 || (keys[j] % 16 == keys[i] % 16 && j < i);
            if (is_near && j < i) before += j;
            if (is_near && j <= i && in[j].second > largest.second) largest = in[j];
        }
        expect("two bits", i, out->matches[i], two);
        expect("three bits", i, out->parts[i], three);
        expect("rank", i, out->ranks[i], rank);
        expect("exclusive", i, out->exclusive[i], before);
        expect("running", i, out->running[i].second, largest.second);
        if (i % 16 == 0) {
            const auto* best = std::max_element(
                in + i, in + i + 16, [](const Pair& a, const Pair& b) { return a.second < b.second; });
            expect("largest", i, out->largest[i].first, best->first);
        }
        expect("loaded", i, static_cast<long long>(out->loaded[i]), in[i].second);
        expect("byte", i, out->bytes[i], i);
        expect("bits", i, out->bits[i], in[i].second >> 3 & 31);
    }
    std::sort(keys, keys + threads);
    for (int i = 0; i < threads; ++i) expect("key", i, out->keys[i], keys[threads - 1 - i]);

    thrust::device_vector<unsigned> vector(out->words_up, out->words_up + threads);
    const unsigned sum = thrust::reduce(vector.begin(), vector.end());
    thrust::sort(vector.begin(), vector.end());
    unsigned total = 0;
    for (int i = 0; i < threads; ++i) {
        total += out->words_up[i];
        if (i > 0) expect("sorted", i, vector[i - 1] <= vector[i], 1);
    }
    expect("sum", 0, sum, total);
    return failures != 0;
}
