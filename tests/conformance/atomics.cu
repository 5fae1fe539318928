// Atomic functions: their results for one thread, and their effect when many threads use one cell.
#include "conformance.hpp"

#include <algorithm>

template <class Operation, class T>
__global__ void change(T* cells, const T* values, T* old, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) old[i] = Operation()(cells + i, values[i]);
}

// All threads change one cell, first of shared memory, and then of global memory. What they add is a
// small integer, so that no order of floating-point additions changes the sum.
template <class Operation, class T>
__global__ void contend(T* cells, int first_block) {
    __shared__ T cell;
    if (threadIdx.x == 0) cell = T(100);
    __syncthreads();
    const T value = static_cast<T>(threadIdx.x % 7 + 1);
    Operation()(&cell, value);
    Operation()(cells, value);
    __syncthreads();
    if (threadIdx.x == 0) cells[1 + first_block + blockIdx.x] = cell;
}

template <class T>
std::vector<T> make_values(int count, conformance::Random& random) {
    std::vector<T> values;
    for (int i = 0; i < count; ++i)
        values.push_back(conformance::make_input<T>(random, i + 40, std::is_floating_point<T>::value
                                                                        ? conformance::Domain{-99, 99}
                                                                        : conformance::Domain{}));
    for (int i = 0; i < 8; ++i) values[i] = T(i % 4);  // so that some limits are reached
    return values;
}

// Tests an operation by its kernels; the second one is null if the order of threads matters. It has four blocks, of
// which some can use a cell at the same time.
template <class T>
void run(const char* name, void (*change_cells)(T*, const T*, T*, int), void (*contend_for_cell)(T*, int), int blocks = 4) {
    const int count = 128;
    conformance::Random random;
    const conformance::DeviceVector<T> cells(make_values<T>(count, random)),
        values(make_values<T>(count, random)), old(std::vector<T>(count, T(0)));
    change_cells<<<2, 64>>>(cells.data(), values.data(), old.data(), count);
    conformance::check(cudaDeviceSynchronize(), name);
    std::vector<T> results = cells.read();
    const std::vector<T> returned = old.read();
    results.insert(results.end(), returned.begin(), returned.end());
    if (contend_for_cell) {
        const conformance::DeviceVector<T> contended(std::vector<T>(5, T(50)));
        for (int first = 0; first < 4; first += blocks) contend_for_cell<<<blocks, 128>>>(contended.data(), first);
        conformance::check(cudaDeviceSynchronize(), name);
        const std::vector<T> sums = contended.read();
        results.insert(results.end(), sums.begin(), sums.end());
    }
    conformance::print(name, results, 0);
}

// label, type, whether the order of threads does not matter, blocks that can use a cell at the same time, function
#define SCOPES(A, label, T, commutes, function) \
    A(label, T, commutes, 4, function)          \
    A(label##_block, T, commutes, 1, function##_block) \
    A(label##_system, T, commutes, 4, function##_system)
#define WORDS(A, label, commutes, function)            \
    SCOPES(A, label##_int, int, commutes, function)    \
    SCOPES(A, label##_unsigned, unsigned int, commutes, function)
#define SIGNED_WORDS(A, label, commutes, function) \
    WORDS(A, label, commutes, function)            \
    SCOPES(A, label##_long_long, long long, commutes, function) \
    SCOPES(A, label##_unsigned_long_long, unsigned long long, commutes, function)
#define ATOMICS(A)                                                                       \
    WORDS(A, add, true, atomicAdd)                                                       \
    SCOPES(A, add_unsigned_long_long, unsigned long long, true, atomicAdd)               \
    SCOPES(A, add_float, float, true, atomicAdd)                                         \
    SCOPES(A, add_double, double, true, atomicAdd)                                       \
    WORDS(A, sub, true, atomicSub)                                                       \
    WORDS(A, exch, false, atomicExch)                                                    \
    SCOPES(A, exch_unsigned_long_long, unsigned long long, false, atomicExch)            \
    SCOPES(A, exch_float, float, false, atomicExch)                                      \
    SIGNED_WORDS(A, min, true, atomicMin)                                                \
    SIGNED_WORDS(A, max, true, atomicMax)                                                \
    SIGNED_WORDS(A, and, true, atomicAnd)                                                \
    SIGNED_WORDS(A, or, true, atomicOr)                                                  \
    SIGNED_WORDS(A, xor, true, atomicXor)                                                \
    SCOPES(A, inc, unsigned int, false, atomicInc)                                       \
    SCOPES(A, dec, unsigned int, false, atomicDec)

#define DEFINE(label, T, commutes, blocks, function)                                             \
    struct test_##label {                                                                \
        __device__ T operator()(T* cell, T value) const { return function(cell, value); } \
    };
#define RUN(label, T, commutes, blocks, function) \
    run<T>(#label, change<test_##label, T>, commutes ? contend<test_##label, T> : nullptr, blocks);
ATOMICS(DEFINE)

// Additions through compare-and-swap.
template <class T>
struct Cas {
    __device__ T operator()(T* cell, T value) const {
        T old = *cell, seen;
        do {
            seen = old;
            old = atomicCAS(cell, seen, static_cast<T>(seen + value));
        } while (old != seen);
        return old;
    }
};
template <class T>
struct CasBlock {
    __device__ T operator()(T* cell, T value) const {
        return atomicCAS_block(cell, *cell, value) + atomicCAS_block(cell, static_cast<T>(value + 1), T(3));
    }
};
template <class T>
struct CasSystem {
    __device__ T operator()(T* cell, T value) const {
        return atomicCAS_system(cell, *cell, value) + atomicCAS_system(cell, value, T(3));
    }
};

// Sixteen bytes, of which one operation changes all.
struct alignas(16) Wide {
    unsigned long long low, high;
};
__global__ void change_wide(Wide* cell, Wide* out) {
    const unsigned long long n = blockIdx.x * blockDim.x + threadIdx.x + 1;
    Wide old = {0, 0}, seen;
    do {
        seen = old;
        old = atomicCAS(cell, seen, Wide{seen.low + n, seen.high + 3 * n});
    } while (old.low != seen.low || old.high != seen.high);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        Wide* mine = out;
        mine[0] = Wide{1, 2};
        mine[1] = atomicExch(mine, Wide{3, 4});
        mine[2] = atomicExch_block(mine, Wide{5, 6});
        mine[3] = atomicCAS_block(mine, Wide{5, 6}, Wide{7, 8});
        mine[4] = atomicCAS_system(mine, Wide{5, 6}, Wide{9, 10});
        mine[5] = atomicExch_system(mine, Wide{11, 12});
    }
}
__global__ void add_vectors(float2* two, float4* four) {
    const float n = static_cast<float>(threadIdx.x);
    atomicAdd(two, make_float2(n, 2 * n));
    atomicAdd_block(two + 1 + blockIdx.x, make_float2(n, 2 * n));
    atomicAdd_system(two, make_float2(1, 2));
    atomicAdd(four, make_float4(n, 2 * n, 3 * n, 4 * n));
    atomicAdd_block(four + 1 + blockIdx.x, make_float4(n, 2 * n, 3 * n, 4 * n));
    atomicAdd_system(four, make_float4(1, 2, 3, 4));
}
__global__ void sum_old_values(unsigned int* out) {
    atomicAdd(out + 2, atomicInc(out, 9));
    atomicAdd(out + 3, atomicDec(out + 1, 9));
    atomicAdd(out + 4, atomicAdd(out + 5, 1u));
    atomicAdd(out + 6, atomicExch(out + 7, threadIdx.x));
}

// A lock that each block takes once.
__device__ int lock;
__global__ void take_lock(int* out) {
    for (bool is_done = false; !is_done;) {
        if (atomicCAS(&lock, 0, 1) != 0) continue;
        __threadfence();
        *static_cast<volatile int*>(out) = *static_cast<volatile int*>(out) + 1;
        __threadfence();
        atomicExch(&lock, 0);
        is_done = true;
    }
}

template <class Kernel, class... Arguments>
void run_kernel(const char* name, Kernel* kernel, int blocks, int threads, Arguments... arguments) {
    kernel<<<blocks, threads>>>(arguments...);
    conformance::check(cudaDeviceSynchronize(), name);
}

int main() {
    ATOMICS(RUN)
    run<unsigned short>("cas_unsigned_short", change<Cas<unsigned short>, unsigned short>, contend<Cas<unsigned short>, unsigned short>);
    run<int>("cas_int", change<Cas<int>, int>, contend<Cas<int>, int>);
    run<unsigned int>("cas_unsigned", change<Cas<unsigned int>, unsigned int>, contend<Cas<unsigned int>, unsigned int>);
    run<unsigned long long>("cas_unsigned_long_long", change<Cas<unsigned long long>, unsigned long long>, contend<Cas<unsigned long long>, unsigned long long>);
    run<int>("cas_block_int", change<CasBlock<int>, int>, nullptr);
    run<unsigned int>("cas_block_unsigned", change<CasBlock<unsigned int>, unsigned int>, nullptr);
    run<unsigned long long>("cas_block_unsigned_long_long", change<CasBlock<unsigned long long>, unsigned long long>, nullptr);
    run<int>("cas_system_int", change<CasSystem<int>, int>, nullptr);
    run<unsigned int>("cas_system_unsigned", change<CasSystem<unsigned int>, unsigned int>, nullptr);
    run<unsigned long long>("cas_system_unsigned_long_long", change<CasSystem<unsigned long long>, unsigned long long>, nullptr);

    const conformance::DeviceVector<Wide> cell(std::vector<Wide>(1)), wide(std::vector<Wide>(6));
    run_kernel("wide", change_wide, 2, 64, cell.data(), wide.data());
    std::vector<Wide> wides = wide.read();
    wides.push_back(cell.read()[0]);
    conformance::print_hash("wide", wides.data(), wides.size() * sizeof(Wide), 7);

    const conformance::DeviceVector<float2> two(std::vector<float2>(3));
    const conformance::DeviceVector<float4> four(std::vector<float4>(3));
    run_kernel("vectors", add_vectors, 2, 64, two.data(), four.data());
    conformance::print_hash("add_float2", two.read().data(), 3 * sizeof(float2), 3);
    conformance::print_hash("add_float4", four.read().data(), 3 * sizeof(float4), 3);

    const conformance::DeviceVector<unsigned int> sums(std::vector<unsigned int>(8));
    run_kernel("sums", sum_old_values, 4, 64, sums.data());
    std::vector<unsigned int> words = sums.read();
    words[6] += words[7];  // Each value leaves the cell once, except for the last one.
    words[7] = 0;
    conformance::print("sums_of_old_values", words, 0);

    const conformance::DeviceVector<int> count(std::vector<int>(1));
    run_kernel("lock", take_lock, 4, 1, count.data());
    conformance::print("lock", count.read(), 0);
}
