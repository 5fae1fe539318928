// Shared memory wherever it can be declared and used: no mention of its name refers to a copy.
#include "check.h"

#include <cstdio>
#include <iterator>

constexpr int count = 64;

extern __shared__ int dynamic_of_namespace[];
__device__ __shared__ int of_namespace[count];
namespace inner {
__shared__ int first, *second;
}

template <class F>
__device__ int call(F function, int index) {
    return function(index);
}

// Other things have the names of shared variables.
namespace inner {
__shared__ int same;
}
namespace another {
__device__ int same = 5;
__device__ int get_own() { return same; }
__shared__ int cell;
__device__ void set(int value) { cell = value; }
__device__ int get() { return cell; }
namespace nested {
__device__ int get() { return cell; }
}  // namespace nested
}  // namespace another
namespace inner {
namespace another {
__device__ int same = 6;
}
__device__ void set(int value) { same = value; }
__device__ int get() { return same; }
__device__ int get_qualified() { return another::same; }
}  // namespace inner
namespace using_all {
using namespace inner;
__device__ int get() { return same + first; }
}  // namespace using_all
namespace using_one {
using ::another::cell;
__device__ int get() { return cell; }
}  // namespace using_one
namespace {
[[maybe_unused]] __shared__ int of_unnamed;
}
__device__ void set_of_unnamed(int value) { of_unnamed = value; }
struct Member {
    int same;
    __device__ int get() const { return same; }
    __device__ auto read() const {
        return [=] { return same; };
    }
    __device__ static int of_unnamed(int value) { return value; }
    __device__ static int call() { return of_unnamed(8); }
};
__shared__ int given[count];
__device__ int find(int given, int* same) {
    auto read = [=] { return given + *same; };
    return read();
}

__global__ void use_names(int* wrong) {
    __shared__ int s, table[count];
    const int t = threadIdx.x;
    if (t == 0) {
        s = 70;
        inner::set(1);
        another::set(2);
        inner::first = 3;
        set_of_unnamed(4);
    }
    table[t] = given[t] = t;
    __syncthreads();
    struct Own {
        int s;
        __device__ int get() const { return s; }
    };
    struct Shared {
        int value = 1;
        __device__ int get() const { return s + value; }
    };
    int in_blocks = 0;
    {
        int s = t;
        auto by_reference = [&] { return s; };
        auto by_value = [=] { return s; };
        auto named = [s] { return s; };
        in_blocks += by_reference() + by_value() + named();
    }
    for (int s = t, i = 0; i < 1; ++i) in_blocks += [&] { return s; }();
    for (int one = 1, s = t; one; --one) in_blocks += [=] { return s; }();
    if (int s = t; s >= 0) in_blocks += [&] { return s; }();
    const int values[] = {t};
    for (auto s : values) in_blocks += [=] { return s; }();
    auto outer = [](int s) { return [=] { return s; }(); };
    auto initialized = [s = t] { return s; };
    auto assigned = [=] { return s; };
    const int behind_uses = t * s + call([](int i) { return table[i] + s; }, table[t]);
    const bool is_right[] = {
        Own{t}.get() == t,
        Shared().get() == 71,
        in_blocks == 7 * t,
        outer(t) + initialized() == 2 * t,
        assigned() == 70,
        behind_uses == 71 * t + 70,
        another::get_own() == 5,
        ::another::same == 5,
        inner::another::same == 6,
        inner::get_qualified() == 6,
        inner::get() == 1,
        another::get() == 2,
        another::nested::get() == 2,
        using_all::get() == 4,
        using_one::get() == 2,
        of_unnamed == 4,
        Member{t}.get() == t,
        Member{t}.read()() == t,
        Member::call() == 8,
        find(t, &inner::same) == t + 1,
    };
    for (int i = 0; i < int(sizeof is_right / sizeof *is_right); ++i)
        if (!is_right[i]) wrong[i] = 1;
}


template <class T>
__device__ T sum_of(T value) {
    __shared__ T cells[count];
    cells[threadIdx.x] = value;
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < count; ++i) sum += cells[i];
    __syncthreads();
    return sum;
}

__device__ int read_dynamic(int index) { return dynamic_of_namespace[index]; }

__global__ void use_all(int* wrong) {
    __shared__ int tile[count], one;
    __shared__ struct {
        int x;
    } unnamed;
    static __shared__ int static_one;
    extern __shared__ int dynamic[];
    const int t = threadIdx.x, other = count - 1 - t;
    tile[t] = -1;
    dynamic[t] = -1;
    of_namespace[t] = 2 * t;
    if (t == 0) {
        one = blockIdx.x;
        unnamed.x = 5;
        static_one = 6;
        inner::first = 7;
        inner::second = &inner::first;
    }
    __syncthreads();
    auto plain = [=](int i) { return tile[i]; };
    auto changeable = [=](int i) mutable noexcept -> int { return tile[i]; };
    auto generic = [=](auto i) { return tile[i]; };
    auto initialized = [=, zero = 0](int i) { return tile[i] + zero; };
    auto nested = [=](int i) {
        auto within = [=] { return tile[i]; };
        return within();
    };
    auto without_parameters = [=] { return tile[count - 1 - t]; };
    auto of_dynamic = [=](int i) { return dynamic[i] + of_namespace[i] - 2 * i; };
    auto marked = [=] __device__(int i) { return tile[i]; };
    auto other_name = [](int tile) { return tile; };
    struct Local {
        static __device__ int get(int i) { return tile[i]; }
        __device__ int operator()(int i) const { return tile[i]; }
        __device__ int same(int tile) { return tile; }
    };
    __syncthreads();
    tile[t] = 3 * t;
    dynamic[t] = 3 * t;
    __syncthreads();
    const int results[] = {
        plain(other),
        changeable(other),
        generic(other),
        initialized(other),
        nested(other),
        without_parameters(),
        of_dynamic(other),
        marked(other),
        Local::get(other),
        Local()(other),
        read_dynamic(other),
        call([=](int i) { return tile[i]; }, other),
        call(
            [=](int i) {
                if (i > count)
                    return 0;
                else
                    return tile[i];
            },
            other),
    };
    for (int i = 0; i < int(sizeof results / sizeof *results); ++i)
        if (results[i] != 3 * other) wrong[i] = 1;
    int(&reference)[count] = tile;
    const bool is_right = reference[other] == 3 * other && sizeof(tile) == sizeof(int[count]) &&
                          std::size(tile) == count && other_name(4) == 4 && Local().same(1) == 1 &&
                          one == int(blockIdx.x) && unnamed.x == 5 && static_one == 6 &&
                          *inner::second == 7 && sum_of(1) == count && sum_of(2.0) == 2.0 * count;
    if (!is_right) wrong[31] = 1;
}

// Atomic functions get pointers to the memory of the block, of another block, of all blocks, and of a thread.
__device__ int* add(int* to, int x) {
    atomicAdd(to, x);
    atomicMax(to, 0);
    return to;
}
__global__ void add_by_pointers(int* total, int* wrong) {
    extern __shared__ int dynamic[];
    __shared__ int counts[2];
    int own = 0;
    // What regions know of the names of arrays; otherwise, they keep addresses for each thread.
    using kbuild_cpu::regions::stands_for_address;
    static_assert(stands_for_address<decltype(counts)> && stands_for_address<decltype(dynamic)>);
    if (threadIdx.x == 0) counts[0] = counts[1] = dynamic[0] = 0;
    __syncthreads();
    add(&counts[1], 1);
    add(dynamic, 1);
    add(&own, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        add(total, counts[1] + dynamic[0] + own);
        using kbuild_cpu::is_in_block;
        if (!is_in_block(counts) || !is_in_block(dynamic) || is_in_block(total) || is_in_block(&own)) wrong[30] = 1;
    }
}

int main() {
    int* wrong;
    CHECK(cudaMallocManaged(&wrong, 32 * sizeof *wrong) == cudaSuccess);
    for (int i = 0; i < 32; ++i) wrong[i] = 0;
    use_all<<<200, count, count * sizeof(int)>>>(wrong);
    CHECK(cudaGetLastError() == cudaSuccess);
    use_names<<<200, count>>>(wrong);
    CHECK(cudaGetLastError() == cudaSuccess);
    add_by_pointers<<<1000, count, count * sizeof(int)>>>(wrong + 29, wrong);
    CHECK(wrong[29] == 1000 * (2 * count + 1));
    wrong[29] = 0;
    int result = 0;
    for (int i = 0; i < 32; ++i)
        if (wrong[i]) {
            std::printf("%d\n", i);
            result = 1;
        }
    return result;
}
