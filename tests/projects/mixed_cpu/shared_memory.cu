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

int main() {
    int* wrong;
    CHECK(cudaMallocManaged(&wrong, 32 * sizeof *wrong) == cudaSuccess);
    for (int i = 0; i < 32; ++i) wrong[i] = 0;
    use_all<<<200, count, count * sizeof(int)>>>(wrong);
    CHECK(cudaGetLastError() == cudaSuccess);
    int result = 0;
    for (int i = 0; i < 32; ++i)
        if (wrong[i]) {
            std::printf("%d\n", i);
            result = 1;
        }
    return result;
}
