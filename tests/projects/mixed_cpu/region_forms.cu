// Declarations and expressions that mean something else in a region, which is a function of its own. Each kernel checks
// its own result, and main prints the wrong ones.
#include "region_results.h"

#include <alloca.h>
#include <memory>

// Names that are also those of other variables.
struct Pair {
    int a, b;
};
__device__ Pair make_pair(int a) { return {a, a + 1}; }
__global__ void bindings(int* out)
{
    int a = 7;
    {
        auto [a, b] = make_pair(threadIdx.x);
        __syncthreads();
        out[threadIdx.x] = a + b;
    }
    out[threadIdx.x] += a;
}
__global__ void attributes(int* out)
{
    int a = 7, b = 8;
    {
        [[maybe_unused]] int a = threadIdx.x;
        alignas(16) int b = threadIdx.x + 1;
        __syncthreads();
        out[threadIdx.x] = a + b;
    }
    out[threadIdx.x] += a + b;
}

// Which condition an else belongs to, and what attributes belong to.
#define BRANCHES(barrier, n, k) \
    if (n > 3) \
        if (n > 5) barrier; else k += 1; \
    else barrier; \
    if (n > 3) \
        for (int i = 0; i < 2; i++) \
            if (n < i) barrier; else k += 10; \
    else k += 100; \
    if (n < 3) do if (n > 5) barrier; else k += 2; while (0); \
    else if (n > 4) barrier; \
    else if (n > 2) k += 3; \
    else barrier; \
    if (n > 3) [[likely]] { barrier; k += 1000; } else [[unlikely]] barrier; \
    for (int i = 0; i < 3; i++) [[likely]] { barrier; if (i == n - 2) [[unlikely]] continue; k += 5; } \
    [[unlikely]] k += n; \
    [[likely]] if (n) { barrier; k++; }
__global__ void branches(int* out, int n)
{
    int k = threadIdx.x;
    BRANCHES(__syncthreads(), n, k)
    out[threadIdx.x] = k;
}

// Arrays without a size, pointers to volatile memory, and conditions with the index of which only a vote is left.
struct Both {
    int x, y;
};
__global__ void arrays(int* out)
{
    const int i = threadIdx.x;
    char text[] = "ab" "cd";
    const wchar_t wide[] = L"xy";
    int list[] = {i, 2, i > 3 ? 5 : 6}, turns = 0;
    Both objects[] = {{1, i}, {i, 4}};
    const int* pointers[]{list, list + 1};
    volatile int *own = out + i, *next = own + 64;
    __syncthreads();
    text[i % 4] = 'e';
    list[1] += *pointers[1] + objects[i % 2].y;
    while (__syncthreads_or(turns < i % 5))
        ++turns;
    *next = list[1] + text[i % 4] + int(wide[i % 2]) + int(sizeof text + sizeof wide);
    if (!__syncthreads_and(i < 64))
        return;
    __syncthreads();
    *own = *next + list[2] + turns;
}

// The type of a variable, which is a reference in regions.
__global__ void types(int* out)
{
    int a = out[threadIdx.x];
    a = threadIdx.x;
    __syncthreads();
    decltype(a) b = a;
    b += 1000;
    __typeof__(a) c = a;
    c += 1000;
    out[threadIdx.x] = a;
}
__global__ void deduced_types(int* out)
{
    int a = out[threadIdx.x];
    a = threadIdx.x;
    __syncthreads();
    decltype(auto) b = a;
    b += 1000;
    out[threadIdx.x] = a;
}

// Memory of the function.
__global__ void stack(int* out)
{
    int* p = static_cast<int*>(alloca(4 * (blockIdx.x + 4)));
    p[1] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = p[1];
}

// Objects that refer to variables of all kinds.
struct View {
    const int* of = nullptr;
    View() = default;
    __device__ View(const int& value) : of(&value) {}
    __device__ int get() const { return *of; }
};
__global__ void views(int* out, int n)
{
    const int own = threadIdx.x, common = blockIdx.x + 3;
    int state = threadIdx.x * 2, other = out[threadIdx.x];
    other = threadIdx.x + 5;
    View a(own), b = View(n), c, d{common};
    c = View(state);
    const int* p = std::addressof(other);
    __syncthreads();
    int unrelated[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    __syncwarp();
    out[threadIdx.x] = a.get() + 100 * b.get() + 1000 * c.get() + 1000000 * d.get() + 10000000 * (*p - own);
    out[threadIdx.x] += unrelated[threadIdx.x % 8] - 9;
}

// A constant object, which has another overload.
struct Overloaded {
    int value;
    __device__ int get() { return 1; }
    __device__ int get() const { return 2; }
};
__global__ void constants(int* out)
{
    const Overloaded object = {int(threadIdx.x)};
    __syncthreads();
    out[threadIdx.x] = object.get();
}

// Objects that do something at the end of their block, or when they are made.
struct Guard {
    int* place;
    __device__ explicit Guard(int* p) : place(p) { *place = 1; }
    __device__ ~Guard() { *place += 10; }
};
__global__ void guards(int* out)
{
    __shared__ int places[64];
    Guard guard(places + threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = places[63 - threadIdx.x];
    __syncthreads();
}
__device__ int first = 3;
struct Started {
    int value;
    __device__ Started() : value(first) {}
};
__global__ void starts(int* out)
{
    Started object;
    object.value += threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = object.value;
}
struct Defaulted {
    int value = 3;
    int others[3] = {4, 5, 6};
};
__global__ void defaults(int* out)
{
    Defaulted object;
    object.others[1] += threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = object.value + object.others[1];
}

// A pointer into an object that nothing else names later, and an object with a lambda.
__global__ void members(int* out)
{
    Defaulted object;
    int* p = object.others;
    p[2] += threadIdx.x;
    __syncthreads();
    int unrelated[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    __syncwarp();
    out[threadIdx.x] = p[2] + unrelated[threadIdx.x % 8];
}
template <class Function> struct Holder {
    Function function;
};
template <class Function> Holder(Function) -> Holder<Function>;
__global__ void lambdas(int* out)
{
    int own = threadIdx.x;
    Holder holder{[&] { return own; }};
    __syncthreads();
    out[threadIdx.x] = holder.function();
}

// Pointers that are restricted, and objects that are volatile.
template <class Pointer> __device__ int reverse(Pointer restricted, int value)
{
    restricted[threadIdx.x] = value;
    __syncthreads();
    return restricted[63 - threadIdx.x];
}
__device__ int reverse_restricted(int* __restrict__ to, int value) { return reverse<int* __restrict__>(to, value); }
__device__ int sum_restricted(const int* __restrict__ from, int* __restrict__ const to)
{
    to[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    return to[63 - threadIdx.x] + from[threadIdx.x];
}
template <class T> __global__ void restricted(T* __restrict__ out, const T* __restrict__ const in, T* __restrict moved)
{
    __shared__ T part[64];
    T* __restrict__ local = part;
    local[threadIdx.x] = in[threadIdx.x];
    moved += threadIdx.x;
    __syncthreads();
    *moved = local[63 - threadIdx.x];
    local += 1;
    __syncthreads();
    int sum = sum_restricted(in, part);
    __syncthreads();
    out[threadIdx.x] = *moved + sum + reverse_restricted(local - 1, in[threadIdx.x]);
}
__global__ void volatile_parameters(int* __restrict__ out, volatile int n, volatile float x)
{
    __shared__ int part[64];
    n += threadIdx.x;
    part[threadIdx.x] = n;
    __syncthreads();
    x += part[63 - threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = n + int(x);
}
int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    check("start", 0, [](int) { return 0; });
    for (int i = 0; i < 64; ++i)
        results[128 + i] = i * i;
    restricted<int><<<1, 64>>>(results, results + 128, results + 256);
    check("restricted", 64, [](int i) { return 3 * (63 - i) * (63 - i) + i * i; });
    volatile_parameters<<<1, 64>>>(results, 100, 0.5f);
    check("volatile_parameters", 64, [](int i) { return 100 + i + 100 + 63 - i; });
    bindings<<<1, 64>>>(results);
    check("bindings", 64, [](int i) { return 2 * i + 1 + 7; });
    attributes<<<1, 64>>>(results);
    check("attributes", 64, [](int i) { return 2 * i + 1 + 15; });
    for (int n : {2, 4, 6}) {
        branches<<<1, 64>>>(results, n);
        check("branches", 64, [n](int k) { BRANCHES((void)0, n, k) return k; });
    }
    arrays<<<1, 64>>>(results);
    check("arrays", 64, [](int i) {
        const int wide = i % 2 ? 'y' : 'x';
        return 4 + (i % 2 ? 4 : i) + 'e' + wide + int(5 + 3 * sizeof(wchar_t)) + (i > 3 ? 5 : 6) + 4;
    });
    types<<<1, 64>>>(results);
    check("types", 64, [](int i) { return i; });
    deduced_types<<<1, 64>>>(results);
    check("deduced_types", 64, [](int i) { return i; });
    stack<<<1, 64>>>(results);
    check("stack", 64, [](int i) { return i; });
    views<<<1, 64>>>(results, 4);
    check("views", 64, [](int i) { return i + 400 + 2000 * i + 3000000 + 50000000; });
    constants<<<1, 64>>>(results);
    check("constants", 64, [](int) { return 2; });
    guards<<<1, 64>>>(results);
    check("guards", 64, [](int) { return 1; });
    starts<<<1, 64>>>(results);
    check("starts", 64, [](int i) { return 3 + i; });
    defaults<<<1, 64>>>(results);
    check("defaults", 64, [](int i) { return 8 + i; });
    members<<<1, 64>>>(results);
    check("members", 64, [](int i) { return 15 + i; });
    lambdas<<<1, 64>>>(results);
    check("lambdas", 64, [](int i) { return i; });
    std::puts("done");
}
