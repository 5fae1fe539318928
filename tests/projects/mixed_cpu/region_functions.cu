// Kernels that are divided into regions together with the device functions that they call. Each one checks its own
// result, and main prints the wrong ones.
#include "region_results.h"

constexpr int THREADS = 96;

__device__ int sum_of_warp(int value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

// The memory of both calls is the same.
__device__ int sum_of_block(int value)
{
    __shared__ int parts[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    value = sum_of_warp(value);
    __syncthreads();
    if (lane == 0)
        parts[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? parts[lane] : 0;
    if (warp == 0)
        value = sum_of_warp(value);
    return value;
}

__global__ void sums(int* out)
{
    const int first = sum_of_block(threadIdx.x);
    const int second = sum_of_block(2 * threadIdx.x) + 1;
    if (threadIdx.x == 0) {
        out[0] = first;
        out[1] = second;
    }
}

namespace {
namespace tools {
template <class T, int N>
__device__ __forceinline__ T rotate(const T& value, int by = 1)
{
    __shared__ T all[N];
    all[threadIdx.x] = value;
    __syncthreads();
    T found = all[(threadIdx.x + by) % N];
    __syncthreads();
    return found;
}
struct Pair {
    int a;
    float b;
};
__device__ int twice(int value) { return ::__shfl_sync(~0u, value, 0) * 2; }
__device__ float twice(float value) { return 2.5f * __shfl_sync(~0u, value, 0); }
}
}

__global__ void __launch_bounds__(64) templates(int* out)
{
    int value = tools::rotate<int, 64>(threadIdx.x);
    const tools::Pair own = {value, 1.5f};
    tools::Pair pair = tools::rotate<tools::Pair, 64>(own, 2);
    out[threadIdx.x] = pair.a + static_cast<int>(pair.b * 2) + tools::twice(1) + int(tools::twice(2.0f));
}

// Threads return at different places.
__device__ int search(const int* numbers, int wanted)
{
    for (int i = 0; i < 4; ++i) {
        const int any = __any_sync(~0u, numbers[i] == wanted);
        if (!any)
            continue;
        if (numbers[i] == wanted)
            return i + 100;
        wanted += 32;
        break;
    }
    if (wanted >= 96)
        return wanted - 96;
    return wanted;
}
__device__ void stop(int* out, int wanted)
{
    __syncwarp();
    if (wanted % 7 == 0)
        return;
    out[threadIdx.x] += 1;
}
__global__ void early_returns(int* out)
{
    __shared__ int numbers[4];
    if (threadIdx.x < 4)
        numbers[threadIdx.x] = 10 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = search(numbers, threadIdx.x);
    stop(out, threadIdx.x);
}

// A barrier that some threads do not reach: with fibers, they exit meanwhile.
__device__ int leave(int value)
{
    if (value < 32)
        return 1;
    __syncthreads();
    return 2;
}
__global__ void early_exit(int* out) { out[threadIdx.x] = leave(threadIdx.x); }

__device__ void add_to_all(int* own, int count, const int by)
{
    for (int i = 0; i < count; ++i) {
        own[i] += __shfl_xor_sync(~0u, own[i], by);
        __syncthreads();
    }
}
__device__ void nothing() { __syncthreads(); }
__global__ void pointers(int* out)
{
    int own[3] = {int(threadIdx.x), 1, 2}, last = 5;
    add_to_all(own, 3, 1);
    nothing();
    add_to_all(&last, 1, 2);
    out[threadIdx.x] = own[0] + 1000 * own[1] + 10000 * own[2] + 100000 * last;
}

__device__ int largest(int value)
{
    for (int offset = 16; offset > 0; offset >>= 1) {
        const int other = __shfl_xor_sync(~0u, value, offset);
        value = other > value ? other : value;
    }
    return value;
}
__global__ void expressions(int* out)
{
    int value = threadIdx.x, rounds = 0;
    while (largest(value) > 3 && rounds < 9) {
        value = value / 2;
        ++rounds;
    }
    if (largest(largest(value) + int(threadIdx.x)) > 40)
        rounds += 100;
    else
        rounds += largest(-1);
    out[threadIdx.x] = rounds;
}

// Threads that have exited, and a function that only some warps call.
__device__ int count_callers(unsigned mask_of_nothing)
{
    return __popc(__ballot_sync(~0u, 1)) + mask_of_nothing;
}
__global__ void some_threads(int* out)
{
    if (threadIdx.x >= 80)
        return;
    out[threadIdx.x] = 7;
    if (threadIdx.x / 32 != 1)
        out[threadIdx.x] = count_callers(0);
}

__device__ int dynamic_sum(int value)
{
    extern __shared__ int memory[];
    memory[threadIdx.x] = value;
    __syncthreads();
    int sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i)
        sum += memory[i];
    __syncthreads();
    return sum;
}
__global__ void dynamic_memory(int* out)
{
    out[threadIdx.x] = dynamic_sum(threadIdx.x) + dynamic_sum(1);
}

// These have fibers.
__device__ int recursive(int value)
{
    __syncwarp();
    return value > 3 ? value : recursive(value + 1);
}
__global__ void recursion(int* out) { out[threadIdx.x] = recursive(threadIdx.x % 2); }

__device__ void by_reference(int& value)
{
    __syncthreads();
    value += 1;
}
struct Pair {
    int first, second;
};
template <class T, int N> __device__ void by_array(T (&values)[N], T& sum, T const& more)
{
    for (int i = 0; i < N; ++i) {
        sum += __shfl_xor_sync(0xffffffffu, values[i], 1) + more;
        values[i] = sum;
    }
}
__device__ void by_members(Pair& pair, int*& place)
{
    const int before = pair.first;
    by_reference(pair.first);
    pair.second += __shfl_xor_sync(0xffffffffu, before, 1);
    place += __syncthreads_count(pair.second >= 0) / 64;
}
// Another thread changes what this reference refers to, so that nothing may be computed again from it.
__device__ int by_element(int& element, int* others)
{
    const int before = element + 1;
    __syncthreads();
    *others = 7;
    __syncthreads();
    element += before;
    return before;
}
__global__ void references(int* out, int argument)
{
    __shared__ int elements[64];
    int value = threadIdx.x;
    by_reference(value);
    int values[2] = {value, 2}, sum = 0;
    const int unchanged = 1;
    by_array(values, sum, unchanged);
    Pair pair = {0, 0};
    int* place = out;
    for (int i = 0; i < 2; ++i)
        by_members(pair, place);
    by_reference(argument);
    const int next = argument + 1;
    by_reference(argument);
    elements[threadIdx.x] = 10;
    const int before = by_element(elements[threadIdx.x], &elements[63 - threadIdx.x]);
    by_reference(values[threadIdx.x % 2]);
    out[threadIdx.x] = value + 100 * values[0] + 1000 * values[1] + 100000 * pair.first + 1000000 * pair.second
                       + 10000000 * int(place - out) + argument + next + before + elements[threadIdx.x];
}

// The value of the reference changes while the function runs.
__device__ int of_others(const int& value, int* out)
{
    out[threadIdx.x] = 5;
    __syncthreads();
    return value;
}
__global__ void references_to_memory(int* out)
{
    const int found = of_others(out[63 - threadIdx.x], out);
    __syncthreads();
    out[threadIdx.x] += found;
}

template <class T> struct Sum {
    __device__ T operator()(const T& a, const T& b) const { return a + b; }
};
template <template <class> class Combine, class T> __device__ T combine_pairs(T value)
{
    for (int mask = 1; mask > 0; mask /= 2)
        value = Combine<T>()(value, __shfl_xor_sync(0xffffffff, value, mask));
    return Combine<T>{}(value, __shfl_xor_sync(0xffffffff, value, 1));
}
__global__ void functors(int* out)
{
    out[threadIdx.x] = combine_pairs<Sum>(int(threadIdx.x) + 1) + combine_pairs<Sum>(1) * 2 +
        combine_pairs<Sum>(int(threadIdx.x | 1)) - combine_pairs<Sum>(int(threadIdx.x | 1) - 1);
}
// Constants of the body are template arguments.
template <int Width, class T> __device__ T sum_of_tile(T value)
{
    for (int offset = Width / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(~0u, value, offset, Width);
    return value;
}
__global__ void local_constants(int* out)
{
    const int width = 8;
    constexpr int turns = 2;
    int sum = 0;
    for (int i = 0; i < turns; ++i)
        sum += sum_of_tile<width, int>(threadIdx.x % width) + i * sum_of_tile<turns>(1);
    out[threadIdx.x] = sum;
}
int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    check("start", 0, [](int) { return 0; });
    sums<<<1, THREADS>>>(results);
    check("sums", 2, [](int i) { return (i + 1) * THREADS * (THREADS - 1) / 2 + i; });
    templates<<<1, 64>>>(results);
    check("templates", 64, [](int i) { return (i + 3) % 64 + 3 + 2 + 5; });
    early_returns<<<1, THREADS>>>(results);
    check("early_returns", THREADS, [](int i) {
        const int found = i < 32 ? (i == 0 ? 100 : i + 32) : i;
        return found + (i % 7 != 0);
    });
    early_exit<<<1, THREADS>>>(results);
    check("early_exit", THREADS, [](int i) { return i < 32 ? 1 : 2; });
    pointers<<<1, 64>>>(results);
    check("pointers", 64, [](int i) { return i + (i ^ 1) + 2000 + 40000 + 1000000; });
    expressions<<<1, 64>>>(results);
    check("expressions", 64, [](int i) { return i < 32 ? 3 - 1 : 4 + 100; });
    some_threads<<<1, THREADS>>>(results);
    check("some_threads", THREADS, [](int i) { return i < 32 ? 32 : i < 64 ? 7 : i < 80 ? 16 : 0; });
    dynamic_memory<<<1, THREADS, THREADS * sizeof(int)>>>(results);
    check("dynamic_memory", THREADS, [](int) { return THREADS * (THREADS - 1) / 2 + THREADS; });
    recursion<<<1, 64>>>(results);
    check("recursion", 64, [](int) { return 4; });
    references<<<1, 64>>>(results, 5);
    check("references", 64, [](int i) {
        const int other = (i ^ 1) + 1, first = other + 1 + (i % 2 == 0), second = other + 1 + 2 + 1 + i % 2;
        return i + 1 + 100 * first + 1000 * second + 200000 + 1000000 + 20000000 + 7 + 7 + 11 + 18;
    });
    functors<<<1, 64>>>(results);
    check("functors", 64, [](int i) { return 4 * (i | 1) + 14; });
    references_to_memory<<<1, 64>>>(results);
    check("references_to_memory", 64, [](int) { return 10; });
    local_constants<<<1, 64>>>(results);
    check("local_constants", 64, [](int) { return 28 + 28 + 2; });
    std::puts("done");
}
