// Statements in which C++ evaluates something before an operation, or never evaluates the operation.
#include "region_results.h"

#define EVERY ~0u

struct Sum {
    int value;
    __device__ Sum& add(int x)
    {
        value += x;
        return *this;
    }
};

struct Writer {
    int* out;
    __device__ Writer& change(int& x)
    {
        x += 10;
        return *this;
    }
    __device__ void put(int x) { out[threadIdx.x] = x; }
};

struct Stream {
    int value;
    __device__ Stream& operator<<(int x)
    {
        value = value * 100 + x;
        return *this;
    }
};

__device__ int change(int& x)
{
    __syncwarp();
    return x += 5;
}

// A number by its name, and an object with a conversion elsewhere.
namespace numbers {
using Number = int;
}
namespace objects {
struct Number {
    int* changed;
    __device__ operator int() const { return *changed += 64; }
};
}

struct Ending {
    int& changed;
    int value;
    __device__ ~Ending() { changed += 100; }
};
__device__ int exchange(int value) { return __shfl_xor_sync(EVERY, value, 1); }
__device__ int read_late(int value, const int& changed)
{
    __syncwarp();
    return value + changed;
}
__device__ int take(int value) { return value; }

__global__ void commas_between_comparisons(int* out)
{
    int x = threadIdx.x, y = threadIdx.x;
    const int declared = (threadIdx.x < x++, 1 > (__shfl_sync(~0u, x, 0)));
    int assigned;
    assigned = (y < ++y, x > (__shfl_sync(~0u, y, 31)));
    out[threadIdx.x] = declared + 2 * assigned;
}
__global__ void commas(int* out)
{
    int x = threadIdx.x;
    const int y = (x += 100, __shfl_xor_sync(EVERY, x, 1));
    out[threadIdx.x] = y;
}

__global__ void declarators(int* out)
{
    int x = threadIdx.x;
    int before = x++, other = __shfl_xor_sync(EVERY, x, 1), behind = x += other;
    out[threadIdx.x] = before * 10000 + other * 100 + behind - x;
}

__global__ void shifts(int* out)
{
    int x = threadIdx.x & 1;
    const int y = (x += 1) << __shfl_xor_sync(EVERY, x, 1);
    const int z = 64 >> __shfl_xor_sync(EVERY, x, 1);
    out[threadIdx.x] = 100 * y + z;
}

__global__ void streams(int* out)
{
    int x = threadIdx.x;
    Stream stream{0};
    stream << ++x << __shfl_xor_sync(EVERY, x, 1);
    out[threadIdx.x] = stream.value;
}

__global__ void arguments_of_chains(int* out)
{
    Sum sum{int(threadIdx.x)};
    sum.add(1).add(__shfl_xor_sync(EVERY, sum.value, 1));
    out[threadIdx.x] = sum.value;
}

__global__ void objects_of_calls(int* out)
{
    int x = threadIdx.x;
    Writer{out}.change(x).put(__shfl_xor_sync(EVERY, x, 1));
}

__global__ void right_sides(int* out)
{
    int x = threadIdx.x, values[2] = {};
    values[__shfl_xor_sync(EVERY, x, 1) & 1] = x += 7;
    out[threadIdx.x] = values[0] + 1000 * values[1];
}

__global__ void braces(int* out)
{
    int x = threadIdx.x;
    const int values[2] = {x += 3, __shfl_xor_sync(EVERY, x, 1)};
    out[threadIdx.x] = 100 * values[0] + values[1];
}

__global__ void operands_that_change(int* out)
{
    int x = threadIdx.x & 1;
    const int y = x << __shfl_xor_sync(EVERY, x++, 1);
    int z = threadIdx.x & 1;
    const int w = z << (change(z) & 1);
    out[threadIdx.x] = 1000 * y + 100 * x + 10 * w + z;
}

// A function changes what C++ reads before it, by an address or in shared memory.
__device__ int change_at(int* place)
{
    __syncthreads();
    *place += 2;
    __syncthreads();
    return 1;
}

__global__ void changed_by_functions(int* out)
{
    int x = 1, y = 1, *place = &x, values[4] = {};
    const int z = x << change_at(place);
    values[change_at(&y)] = y;
    out[threadIdx.x] = 1000 * x + 100 * values[1] + 10 * y + z;
}

__global__ void shared_numbers(int* out)
{
    __shared__ int number;
    if (threadIdx.x == 0)
        number = 1;
    __syncthreads();
    const int x = number << __shfl_xor_sync(EVERY, 1, 1);
    if (threadIdx.x == 0)
        number = 5;
    out[threadIdx.x] = x;
}

__global__ void objects_named_like_numbers(int* out)
{
    using objects::Number;
    __shared__ int s[128];
    int x = threadIdx.x;
    s[x] = s[x + 64] = 0;
    __syncthreads();
    Number number{&x};
    s[__shfl_xor_sync(EVERY, x, 1)] = number;
    __syncthreads();
    out[threadIdx.x] = s[x];
}

// Objects that C++ makes before it evaluates the arguments of their operators.
__device__ int counters[64];
struct Plus {
    __device__ int operator()(int a, int b) const { return a + b; }
};
struct Counting : Plus {
    __device__ Counting() { counters[threadIdx.x] += 100; }
};
__device__ Plus count()
{
    counters[threadIdx.x] += 100;
    return {};
}
template <class T> __device__ int combine(int a)
{
    return T()(a, __shfl_xor_sync(~0u, counters[threadIdx.x], 1));
}
__global__ void objects_of_operators(int* out)
{
    const int t = threadIdx.x;
    counters[t] = t;
    __syncthreads();
    out[t] = Counting()(1, __shfl_xor_sync(~0u, counters[t], 1));
    __syncthreads();
    out[t] += 1000 * count()(1, __shfl_xor_sync(~0u, counters[t], 1));
    __syncthreads();
    out[t] += 1000000 * (combine<Counting>(1) + combine<Plus>(0));
}
__global__ void ends_of_temporaries(int* out)
{
    int x = threadIdx.x, y = threadIdx.x, z = threadIdx.x, w = threadIdx.x;
    const int first = __shfl_xor_sync(EVERY, Ending{x, x}.value, 1) + x;
    const int second = exchange(Ending{y, y}.value) + y;
    const int third = read_late(take(Ending{z, z}.value), z);
    out[threadIdx.x] = first + 1000 * second + 1000000 * third + (x + y + z) / 300 - (w - take(w));
}

__global__ void not_evaluated(int* out)
{
    const int x = threadIdx.x;
    if (threadIdx.x < 4)
        out[threadIdx.x] = sizeof(__shfl_sync(EVERY, x, 0)) + sizeof(decltype(__shfl_sync(EVERY, x, 0)));
    __syncwarp();
    out[threadIdx.x] += 1;
}

__global__ void conditions(int* out)
{
    const int lane = threadIdx.x & 31;
    const bool both = lane < 16 && __any_sync(0xffff, lane == 3);
    const bool either = lane >= 16 || __all_sync(0xffff, lane < 16);
    int chosen = 0;
    chosen = lane < 16 ? __shfl_xor_sync(0xffff, lane, 1) : 50;
    out[threadIdx.x] = both + 2 * either + 4 * chosen;
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    commas_between_comparisons<<<1, 64>>>(results);
    check("commas_between_comparisons", 64, [](int) { return 0; });
    commas<<<1, 64>>>(results);
    check("commas", 64, [](int i) { return 100 + (i ^ 1); });
    declarators<<<1, 64>>>(results);
    check("declarators", 64, [](int i) { return i * 10000 + ((i ^ 1) + 1) * 100; });
    shifts<<<1, 64>>>(results);
    check("shifts", 64, [](int i) {
        const int own = (i & 1) + 1, other = ((i ^ 1) & 1) + 1;
        return 100 * (own << other) + (64 >> other);
    });
    streams<<<1, 64>>>(results);
    check("streams", 64, [](int i) { return (i + 1) * 100 + (i ^ 1) + 1; });
    arguments_of_chains<<<1, 64>>>(results);
    check("arguments_of_chains", 64, [](int i) { return i + 1 + (i ^ 1) + 1; });
    objects_of_calls<<<1, 64>>>(results);
    check("objects_of_calls", 64, [](int i) { return (i ^ 1) + 10; });
    right_sides<<<1, 64>>>(results);
    check("right_sides", 64, [](int i) { return (((i ^ 1) + 7) & 1 ? 1000 : 1) * (i + 7); });
    braces<<<1, 64>>>(results);
    check("braces", 64, [](int i) { return 100 * (i + 3) + (i ^ 1) + 3; });
    operands_that_change<<<1, 64>>>(results);
    check("operands_that_change", 64, [](int i) {
        const int own = i & 1;
        const int w = own << ((own + 5) & 1);
        return 1000 * (own << (own ^ 1)) + 100 * (own + 1) + 10 * w + own + 5;
    });
    changed_by_functions<<<1, 32>>>(results);
    check("changed_by_functions", 32, [](int) { return 3132; });
    shared_numbers<<<1, 32>>>(results);
    check("shared_numbers", 32, [](int) { return 2; });
    objects_named_like_numbers<<<1, 64>>>(results);
    check("objects_named_like_numbers", 64, [](int i) { return (i ^ 1) + 64; });
    objects_of_operators<<<1, 64>>>(results);
    check("objects_of_operators", 64, [](int i) {
        const int other = i ^ 1;
        return other + 101 + 1000 * (other + 201) + 1000000 * (2 * other + 601);
    });
    ends_of_temporaries<<<1, 64>>>(results);
    check("ends_of_temporaries", 64, [](int i) { return 1001 * (i + (i ^ 1)) + 2000000 * i + 1; });
    not_evaluated<<<1, 32>>>(results);
    check("not_evaluated", 32, [](int i) { return (i < 4 ? 8 : 0) + 1; });
    conditions<<<1, 64>>>(results);
    check("conditions", 64, [](int i) {
        const int lane = i & 31;
        return (lane < 16) + 2 + 4 * (lane < 16 ? lane ^ 1 : 50);
    });
    std::puts("done");
}
