// Kernels whose lanes wait for those of a mask that other lanes do not have. Each one checks its own result, and main
// prints the wrong ones.
#include "region_results.h"

constexpr int THREADS = 96;
constexpr unsigned FULL = 0xffffffffu;

// Groups of lanes with the same value.
__global__ void peers(int* out)
{
    const int value = threadIdx.x % 5;
    const unsigned mask = __match_any_sync(FULL, value);
    const int first = __ffs(mask) - 1;
    int result = __reduce_max_sync(mask, int(threadIdx.x)) + 1000 * __shfl_sync(mask, int(threadIdx.x), first);
    __syncwarp(mask);
    result += 1000000 * __popc(__ballot_sync(mask, threadIdx.x % 2));
    out[threadIdx.x] = result;
}

// The lanes that are there, as an argument of the operation itself.
__global__ void present(int* out)
{
    __shared__ int values[THREADS];
    int result = 0;
    for (int i = 0; i < int(threadIdx.x % 4); ++i) {
        values[threadIdx.x] = threadIdx.x + i;
        __syncwarp(__activemask());
        result += values[threadIdx.x ^ 4] * 10 + __popc(__activemask());
        __syncwarp(__ballot_sync(__activemask(), 1));
    }
    out[threadIdx.x] = result;
}

// Some lanes, which a ballot has found.
__global__ void voters(int* out)
{
    const bool is_in = threadIdx.x % 3 == 0;
    const unsigned mask = __ballot_sync(FULL, is_in);
    int result = -1;
    if (is_in) {
        result = __reduce_add_sync(mask, threadIdx.x) + 1000 * __popc(mask);
        if (__all_sync(mask, threadIdx.x < 64))
            result += 100000 * __any_sync(mask, threadIdx.x == 3);
    }
    out[threadIdx.x] = result;
}

// A mask as a parameter, and one for each part of a warp.
template <class T> __device__ T sum(T value, unsigned mask, int width)
{
    for (int bits = width / 2; bits > 0; bits /= 2)
        value += __shfl_xor_sync(mask, value, bits);
    return value;
}
__global__ void parts(int* out)
{
    const int lane = threadIdx.x % 32;
    const unsigned part = 0xffu << lane / 8 * 8;
    int result = sum(int(threadIdx.x), part, 8);
    result += 1000 * sum(1L, FULL, 32);
    if (lane < 16)
        result += 100000 * sum(1, lane < 8 ? 0xffu : 0xff00u, 8);
    result += 10000000 * __shfl_down_sync(part, lane % 8, 1, 8);
    out[threadIdx.x] = result;
}

// Lanes that leave a loop while others stay.
__global__ void loops(int* out)
{
    const unsigned mask = __match_any_sync(FULL, threadIdx.x % 4);
    int result = 0;
    for (unsigned i = 0; i <= threadIdx.x % 4; ++i)
        result += __popc(__ballot_sync(mask, true)) + 100 * __any_sync(mask, i == 2);
    out[threadIdx.x] = result;
}

// One atomic function for all lanes that are there.
__device__ int take(int* counter)
{
    const unsigned mask = __activemask();
    const int lane = threadIdx.x % 32, first = __ffs(mask) - 1;
    int start = 0;
    if (lane == first)
        start = atomicAdd(counter, __popc(mask));
    start = __shfl_sync(mask, start, first);
    return start + __popc(mask & ((1u << lane) - 1));
}
__global__ void filter(int* out)
{
    if (threadIdx.x % 3 == 1)
        atomicAdd(&out[1 + take(out)], 1);
}

// The lanes of a mask that have exited do not count.
__global__ void exits(int* out)
{
    if (threadIdx.x % 8 == 7)
        return;
    const unsigned mask = 0xffu << threadIdx.x % 32 / 8 * 8;
    out[threadIdx.x] = __popc(__ballot_sync(mask, 1)) + 10 * __reduce_add_sync(mask, 2);
}

// A function that tells more than one value for all.
__global__ void matches(int* out)
{
    const unsigned mask = threadIdx.x % 2 ? 0xaaaaaaaau : 0x55555555u;
    int is_equal = -1;
    const unsigned equal = __match_all_sync(mask, threadIdx.x % 2 + threadIdx.x / 64, &is_equal);
    const unsigned same = __match_any_sync(mask, threadIdx.x % 8);
    out[threadIdx.x] = is_equal + 10 * __popc(equal) + 1000 * __popc(same);
}
// Lanes beyond the end of the block have the value 0. A variable has the name of a function.
__global__ void part_of_a_warp(int* out)
{
    int sum = threadIdx.x + 1;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    const int last = threadIdx.x + 1;
    out[threadIdx.x] = sum + 1000 * __shfl_sync(0xffffffff, last, 5) +
                       100000 * __shfl_xor_sync(0xffffffff, last, 16);
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    peers<<<1, THREADS>>>(results);
    check("peers", THREADS, [](int i) {
        int first = -1, last = 0, odd = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            if (j % 5 == i % 5) {
                first = first < 0 ? j : first;
                last = j;
                odd += j % 2;
            }
        return last + 1000 * first + 1000000 * odd;
    });
    present<<<1, THREADS>>>(results);
    check("present", THREADS, [](int i) {
        int result = 0;
        for (int j = 0; j < i % 4; ++j)
            result += ((i ^ 4) + j) * 10 + 8 * (3 - j);
        return result;
    });
    voters<<<1, THREADS>>>(results);
    check("voters", THREADS, [](int i) {
        int sum = 0, count = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            if (j % 3 == 0) {
                sum += j;
                ++count;
            }
        return i % 3 != 0 ? -1 : sum + 1000 * count + (i < 32 ? 100000 : 0);
    });
    parts<<<1, THREADS>>>(results);
    check("parts", THREADS, [](int i) {
        const int next = i % 8 == 7 ? 7 : i % 8 + 1;
        return i / 8 * 8 * 8 + 28 + 32000 + (i % 32 < 16 ? 800000 : 0) + 10000000 * next;
    });
    loops<<<1, THREADS>>>(results);
    check("loops", THREADS, [](int i) { return 8 * (i % 4 + 1) + (i % 4 >= 2 ? 100 : 0); });
    filter<<<1, THREADS>>>(results);
    check("filter", 34, [](int i) { return i == 0 ? 32 : i <= 32; });
    exits<<<1, THREADS>>>(results);
    check("exits", THREADS, [](int i) { return i % 8 == 7 ? 0 : 7 + 140; });
    matches<<<1, THREADS>>>(results);
    check("matches", THREADS, [](int) { return 1 + 160 + 4000; });
    part_of_a_warp<<<1, 36>>>(results);
    check("part_of_a_warp", 36, [](int i) {
        int sums[64] = {};
        for (int j = 0; j < 36; ++j)
            sums[j] = j + 1;
        const int other = (i ^ 16) < 36 ? (i ^ 16) + 1 : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            for (int j = 0; j < 64; ++j) // the last lanes read their own value
                sums[j] += j % 32 + offset < 32 ? sums[j + offset] : j < 36 ? sums[j] : 0;
        return sums[i] + 1000 * (i < 32 ? 6 : 0) + 100000 * other;
    });
    std::puts("done");
}
