// Statements that are declarations if a name is that of a type, declarations of an alignment, and names of CUDA that a
// program declares again.
#include "region_results.h"

struct Number {
    int value;
    __device__ Number(int value = 7) : value(value) {}
    __device__ Number& operator=(int other)
    {
        value = other;
        return *this;
    }
    __device__ operator int() const { return value; }
};
template <class T> struct Box {
    T value;
    __device__ Box(T value = 4) : value(value) {}
};
typedef int Index;

// Each one hides the outer x, and a barrier is between the declaration and its use.
__global__ void hiding_object(int* out)
{
    int x = threadIdx.x;
    {
        Number(x);
        __syncthreads();
        out[threadIdx.x] = x;
        x = 2;
    }
    __syncthreads();
    out[threadIdx.x] += 10 * x;
}
__global__ void hiding_initialized(int* out)
{
    Number x(threadIdx.x);
    {
        Number(x) = 5;
        __syncthreads();
        out[threadIdx.x] = x;
        x = 2;
    }
    __syncthreads();
    out[threadIdx.x] += 10 * x;
}
__global__ void hiding_instance(int* out)
{
    int x = threadIdx.x;
    {
        Box<int>(x);
        __syncthreads();
        out[threadIdx.x] = x.value;
    }
    __syncthreads();
    out[threadIdx.x] += 10 * x;
}
__global__ void hiding_alias(int* out)
{
    int x = threadIdx.x;
    {
        Index(x);
        x = 5;
        __syncthreads();
        out[threadIdx.x] = x;
    }
    __syncthreads();
    out[threadIdx.x] += 10 * x;
}
__global__ void hiding_pointer(int* out)
{
    int own = threadIdx.x, other = 3;
    int* x = &other;
    {
        Index(*x);
        __syncthreads();
        x = &own;
        *x += 1;
    }
    __syncthreads();
    *x += 1;
    out[threadIdx.x] = own * 10 + other;
}
__global__ void hiding_with_attributes(int* out)
{
    int x = threadIdx.x, y = 2 * x;
    {
        [[maybe_unused]] Number(x);
        __syncthreads();
        out[threadIdx.x] = x;
    }
    __syncthreads();
    {
        [[maybe_unused]] const auto [y, z] = int2{5, 6};
        __syncthreads();
        out[threadIdx.x] += 10 * y;
    }
    __syncthreads();
    out[threadIdx.x] += 100 * x + 10000 * y;
}
// Names that a text cannot tell from parts of an expression.
__global__ void hiding_behind_comparison(int* out)
{
    int a = 1, b = 9, x = threadIdx.x;
    __syncthreads();
    {
        int less = x < b, x = b > (a);
        __syncthreads();
        out[threadIdx.x] = less + 2 * x;
    }
    __syncthreads();
    out[threadIdx.x] += 10 * x;
}
// If `b` were no variable of the kernel, this one would be changed.
__device__ int b = 77;
__device__ int with_default(int a = 1 < 2, int b = 5 > 2)
{
    __syncwarp();
    return a + 2 * b;
}
__global__ void declarators_behind_comparison(int* out)
{
    int x = threadIdx.x;
    int a = x < 3 ? 1 : 0, b = x > 0;
    __syncthreads();
    out[threadIdx.x] = a + 10 * b;
}
__global__ void heads_behind_comparison(int* out)
{
    int x = threadIdx.x;
    for (int less = x < 900, b = 5 > x; less; less = 0) {
        __syncthreads();
        out[threadIdx.x] = b;
    }
    __syncthreads();
    out[threadIdx.x] += 10 * with_default();
}
__global__ void hiding_in_parentheses(int* out)
{
    int x = threadIdx.x, y = 50;
    __syncthreads();
    {
        int four = 4, (y) = 5;
        __syncthreads();
        out[threadIdx.x] = four + y;
        __syncthreads();
    }
    for (int i = 0, (x) = 5; i < 2; ++i, ++x) {
        __syncthreads();
        out[threadIdx.x] += 100 * x;
    }
    out[threadIdx.x] += 10000 * x + 1000000 * y;
}
__global__ void hiding_shared_memory(int* out)
{
    int x = 50;
    __syncthreads();
    {
        __shared__ int(x);
        x = 7;
        __syncthreads();
        out[threadIdx.x] = x;
        __syncthreads();
    }
    out[threadIdx.x] += 100 * x;
}
// The same forms are calls if the name is that of a function.
__device__ void increase(int& x) { x += 3; }
template <class T> __device__ void increase_any(T& x) { x += 3; }
__global__ void calls(int* out)
{
    int x = threadIdx.x, values[2] = {1, 2};
    increase(x);
    increase_any<int>(x);
    increase(values[1]);
    __syncthreads();
    increase(*&x);
    ::increase(x);
    out[threadIdx.x] = x + values[1];
}

__global__ void alignments(int* out)
{
    alignas(32) int values[3] = {int(threadIdx.x), 1, 2};
    alignas(64) int number = 1;
    int* place = &number;
    __syncthreads();
    values[1] += values[0];
    *place += 1;
    __syncthreads();
    const auto rest = reinterpret_cast<unsigned long long>(values) % 32
                      + reinterpret_cast<unsigned long long>(place) % 64;
    out[threadIdx.x] = values[1] + number + 1000 * int(rest);
}

namespace user {
__device__ int atomicAdd(int* place, int value) { return ::atomicAdd(place, 10 * value); }
__global__ void function_of_a_namespace(int* out)
{
    __shared__ int counts[64];
    counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[threadIdx.x / 2], 1);
    __syncthreads();
    out[threadIdx.x] = counts[threadIdx.x];
}
}
struct Counter {
    int value;
};
__device__ int atomicAdd(Counter* place, int value) { return ::atomicAdd(&place->value, 5 * value); }
__global__ void function_for_a_class(int* out)
{
    __shared__ Counter counts[64];
    counts[threadIdx.x].value = 0;
    __syncthreads();
    atomicAdd(&counts[threadIdx.x / 2], 1);
    __syncthreads();
    out[threadIdx.x] = counts[threadIdx.x].value;
}
// All blocks add to the memory that the inner name stands for.
__global__ void hidden_shared_memory(int* out)
{
    __shared__ int counts[64];
    counts[threadIdx.x] = 0;
    __syncthreads();
    {
        int(*counts)[64] = reinterpret_cast<int(*)[64]>(out);
        for (int i = 0; i < 100; ++i)
            atomicAdd(&counts[0][threadIdx.x / 2], 1);
    }
    __syncthreads();
    if (counts[threadIdx.x])
        out[threadIdx.x] = -1;
}
namespace declared {
// Host texts have one kind of `inline` for all declarations of a function.
__device__ __forceinline__ int first(int x);
inline __device__ int second(int x);
__device__ int second(int x, int y) { return x + y + int(threadIdx.x); }
__global__ void inline_functions(int* out)
{
    __syncthreads();
    out[threadIdx.x] = first(1) + second(2) + second(3, 4);
}
__device__ __forceinline__ int first(int x) { return x + int(threadIdx.x); }
__device__ int second(int x) { return x + int(threadIdx.x); }
} // namespace declared
namespace elsewhere {
// Pointers and objects in shared memory lead to the memory of all blocks, which is not theirs alone.
struct Offset {
    int value;
};
struct View {
    int* values;
    __device__ int& operator[](int i) { return values[i]; }
};
__device__ int sums[9];
__device__ int* operator+(int (&)[2], Offset offset) { return sums + offset.value; }
__global__ void shared_pointers(int*)
{
    __shared__ int* pointer;
    __shared__ int* pointers[2];
    __shared__ View view;
    __shared__ int own[2];
    if (threadIdx.x == 0) {
        pointer = sums;
        pointers[1] = sums;
        view.values = sums;
        own[1] = 0;
    }
    __syncthreads();
    for (int i = 0; i < 50; ++i) {
        const int part = i % 2;
        atomicAdd(&pointer[part], 1);
        atomicAdd(&pointers[1][2 + part], 1);
        atomicAdd(&view[4 + part], 1);
        atomicAdd(own + Offset{6 + part}, 1);
        atomicAdd(&own[part] != nullptr ? sums + 8 : own, 1);
    }
    __syncthreads();
}
} // namespace elsewhere

// As with nvcc, arrays behind others of whole vectors are aligned for vectors.
__global__ void arrays_as_vectors(int* out)
{
    __shared__ float first[64], second[64];
    first[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 16)
        reinterpret_cast<float4*>(second)[threadIdx.x] = reinterpret_cast<float4*>(first)[15 - threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = second[threadIdx.x];
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    hiding_object<<<1, 64>>>(results);
    check("hiding_object", 64, [](int i) { return 7 + 10 * i; });
    hiding_initialized<<<1, 64>>>(results);
    check("hiding_initialized", 64, [](int i) { return 5 + 10 * i; });
    hiding_instance<<<1, 64>>>(results);
    check("hiding_instance", 64, [](int i) { return 4 + 10 * i; });
    hiding_alias<<<1, 64>>>(results);
    check("hiding_alias", 64, [](int i) { return 5 + 10 * i; });
    hiding_behind_comparison<<<1, 64>>>(results);
    check("hiding_behind_comparison", 64, [](int i) { return (i < 9) + 2 + 10 * i; });
    declarators_behind_comparison<<<1, 64>>>(results);
    check("declarators_behind_comparison", 64, [](int i) { return (i < 3) + 10 * (i > 0); });
    heads_behind_comparison<<<1, 64>>>(results);
    check("heads_behind_comparison", 64, [](int i) { return (i < 5) + 30; });
    hiding_in_parentheses<<<1, 64>>>(results);
    check("hiding_in_parentheses", 64, [](int i) { return 9 + 1100 + 10000 * i + 50000000; });
    hiding_shared_memory<<<1, 64>>>(results);
    check("hiding_shared_memory", 64, [](int) { return 5007; });
    hiding_with_attributes<<<1, 64>>>(results);
    check("hiding_with_attributes", 64, [](int i) { return 57 + 20100 * i; });
    hiding_pointer<<<1, 64>>>(results);
    check("hiding_pointer", 64, [](int i) { return (i + 1) * 10 + 4; });
    calls<<<1, 64>>>(results);
    check("calls", 64, [](int i) { return i + 17; });
    alignments<<<1, 64>>>(results);
    check("alignments", 64, [](int i) { return i + 3; });
    arrays_as_vectors<<<1, 64>>>(results);
    check("arrays_as_vectors", 64, [](int i) { return (15 - i / 4) * 4 + i % 4; });
    user::function_of_a_namespace<<<1, 64>>>(results);
    check("function_of_a_namespace", 64, [](int i) { return i < 32 ? 20 : 0; });
    function_for_a_class<<<1, 64>>>(results);
    check("function_for_a_class", 64, [](int i) { return i < 32 ? 10 : 0; });
    hidden_shared_memory<<<64, 64>>>(results);
    check("hidden_shared_memory", 64, [](int i) { return i < 32 ? 12800 : 0; });
    declared::inline_functions<<<1, 64>>>(results);
    check("inline_functions", 64, [](int i) { return 3 * i + 10; });
    elsewhere::shared_pointers<<<4096, 64>>>(results);
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(results, elsewhere::sums, sizeof elsewhere::sums);
    check("shared_pointers", 9, [](int i) { return 4096 * 64 * 25 * (1 + i / 8); });
    std::puts("done");
}
