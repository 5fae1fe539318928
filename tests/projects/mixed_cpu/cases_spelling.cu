// Calls without the name of the function, and other spellings, beside kernels that use none of them.
#include "region_results.h"

__device__ int index_of() { return threadIdx.x; }
__device__ int (*table[1])() = {index_of};

struct Constructed {
    int index;
    __device__ Constructed() : index(threadIdx.x) {}
};
struct Functor {
    __device__ int operator()(int x) const { return x + threadIdx.x; }
};
struct Subscript {
    int* place;
    __device__ int& operator[](int i) { return place[i + threadIdx.x]; }
};
struct Virtual {
    __device__ virtual int index() { return threadIdx.x; }
};
struct Timer {
    int turns;
    __host__ __device__ void meet() { ++turns; }
};
__device__ void meet() { __syncthreads(); }
__device__ int from_lambda(int x)
{
    auto add = [&](int y) { return y + int(threadIdx.x); };
    return add(x);
}

__global__ void constructors(int* out)
{
    Constructed object;
    out[object.index] = 1;
}
__global__ void functors(int* out)
{
    Functor object;
    out[threadIdx.x] = object(1);
}
__global__ void subscripts(int* out) { Subscript{out}[0] = 1; }
__global__ void virtual_functions(int* out)
{
    Virtual object;
    out[threadIdx.x] = object.index();
}
__global__ void lambdas(int* out) { out[threadIdx.x] = from_lambda(1); }
__global__ void pointers(int* out, bool is_called)
{
    int (*function)() = is_called ? index_of : nullptr;
    out[threadIdx.x] = function ? function() : 0;
}
__global__ void tables(int* out) { out[threadIdx.x] = table[0](); }
// Another kernel wrote the pointer, so that this one refers to no function.
__device__ int (*written)();
__global__ void write_pointer() { written = index_of; }
__global__ void written_pointers(int* out) { out[threadIdx.x] = written(); }
__global__ void members_with_the_name(int* out)
{
    Timer timer{0};
    timer.meet();
    out[threadIdx.x] = timer.turns;
}
__global__ void functions_with_the_name(int* out)
{
    meet();
    out[threadIdx.x] = 1;
}

__global__ void alternative_tokens(int* out, bool flag)
<%
    __shared__ int values<:64:>;
    const int thread = threadIdx.x, lane = thread bitand 31;
    values[thread] = 0;
    __syncthreads();
    if (threadIdx.x == 5 or flag)
        values[thread] += 1;
    __syncthreads();
    if (threadIdx.x == 6 and not flag)
        values[thread] += 2;
    __syncthreads();
    const bool both = lane < 16 and __any_sync(0xffff, lane == 3);
    const bool either = lane >= 16 or __all_sync(0xffff, lane not_eq 40);
    out[thread xor 1] = values[thread xor 1] + 4 * both + 8 * either;
%>

__global__ void plain(int n, const int* x, int* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + y[i];
}
__global__ void divided(const int* x, int* y)
{
    __shared__ int sums[64];
    sums[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int k = 32; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            sums[threadIdx.x] += sums[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *y = sums[0];
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    constructors<<<1, 64>>>(results);
    check("constructors", 64, [](int) { return 1; });
    functors<<<1, 64>>>(results);
    check("functors", 64, [](int i) { return i + 1; });
    subscripts<<<1, 64>>>(results);
    check("subscripts", 64, [](int) { return 1; });
    virtual_functions<<<1, 64>>>(results);
    check("virtual_functions", 64, [](int i) { return i; });
    lambdas<<<1, 64>>>(results);
    check("lambdas", 64, [](int i) { return i + 1; });
    pointers<<<1, 64>>>(results, true);
    check("pointers", 64, [](int i) { return i; });
    tables<<<1, 64>>>(results);
    check("tables", 64, [](int i) { return i; });
    write_pointer<<<1, 1>>>();
    written_pointers<<<1, 64>>>(results);
    check("written_pointers", 64, [](int i) { return i; });
    members_with_the_name<<<1, 64>>>(results);
    check("members_with_the_name", 64, [](int) { return 1; });
    functions_with_the_name<<<1, 64>>>(results);
    check("functions_with_the_name", 64, [](int) { return 1; });
    alternative_tokens<<<1, 64>>>(results, false);
    check("alternative_tokens", 64, [](int i) {
        return (i == 5) + 2 * (i == 6) + (i % 32 < 16 ? 4 : 0) + 8;
    });
    for (int i = 0; i < 64; ++i)
        results[i + 64] = i;
    plain<<<1, 64>>>(60, results + 64, results);
    check("plain", 60, [](int i) { return 2 * i; });
    for (int i = 0; i < 64; ++i)
        results[i + 64] = i;
    divided<<<1, 64>>>(results + 64, results);
    check("divided", 1, [](int) { return 2016; });
    std::puts("done");
}
