// Expressions that look like numbers, but read memory or the index: their values are kept.
#include "region_results.h"

#include <initializer_list>
#include <utility>

__device__ int memory = 7;
template <class T> __device__ T memory_of = T(7);
__device__ const int& memory_behind = memory;
__managed__ int managed = 5;

struct Converted {
    const int* place;
    __device__ operator int() const { return *place; }
};

struct View {
    const int* place;
};
__host__ __device__ int operator+(View view, int x) { return *view.place + x; }

enum Kind { FIRST, SECOND };
__device__ int operator-(Kind kind, int x) { return memory - x + int(kind); }

struct Reference {
    int& value;
};

struct Big {
    int value;
};
__device__ int max(Big a, int b) { return memory + a.value + b; }

enum class Lane { parity };
__device__ int abs(Lane) { return threadIdx.x & 1; }

struct Range {
    int size;
    struct Place {
        int at;
        __device__ int operator*() const { return at; }
        __device__ Place& operator++()
        {
            at += blockDim.x;
            return *this;
        }
        __device__ bool operator!=(const Place& other) const { return at < other.at; }
    };
    __device__ Place begin() const { return {int(threadIdx.x)}; }
    __device__ Place end() const { return {size}; }
};

struct Meeting {
    int value;
    __device__ const int* begin() const
    {
        __shared__ int values[64];
        __syncthreads();
        values[threadIdx.x] = __shfl_xor_sync(~0u, value, 1);
        __syncthreads();
        return values;
    }
    __device__ const int* end() const { return begin() + 64; }
};

struct Indices {
    template <int number> __device__ int get() const { return number == 0 ? threadIdx.x : blockDim.x; }
};
template <> struct std::tuple_size<Indices> {
    static constexpr int value = 2;
};
template <std::size_t number> struct std::tuple_element<number, Indices> {
    using type = int;
};

// Each value is read before a thread changes the memory behind it.
#define KEPT(name, parameter, value)             \
    __global__ void name(int* out, parameter)    \
    {                                            \
        const int kept = value;                  \
        __syncthreads();                         \
        if (threadIdx.x == 0)                    \
            memory = managed = memory_of<int> = 99; \
        __syncthreads();                         \
        out[threadIdx.x] = kept;                 \
        __syncthreads();                         \
        if (threadIdx.x == 0) {                  \
            memory = memory_of<int> = 7;         \
            managed = 5;                         \
        }                                        \
    }
KEPT(conversions, Converted converted, converted)
KEPT(operators, View view, view + 1)
KEPT(operators_of_enumerations, Kind kind, kind - 1)
KEPT(reference_members, Reference reference, reference.value)
KEPT(functions_named_max, Big big, max(big, 1))
KEPT(variable_templates, int, memory_of<int>)
KEPT(variables, int n, memory + n)
KEPT(constant_references, int n, memory_behind + n)

__global__ void functions_named_abs(int* out)
{
    const int parity = abs(Lane::parity);
    int value = threadIdx.x;
    if (parity)
        value = __shfl_xor_sync(0xaaaaaaaa, value, 2);
    out[threadIdx.x] = value;
}

__global__ void initializer_lists(int* out)
{
    __shared__ int values[64];
    const int x = threadIdx.x;
    const std::initializer_list<int> list = {x * 2, x * 3};
    values[x] = list.begin()[1];
    __syncthreads();
    out[x] = list.begin()[0] + list.begin()[1] + values[63 - x];
}

__global__ void ranges(int* out)
{
    for (int i : Range{200})
        out[i] = i * 2;
}

__global__ void ranges_with_operations(int* out)
{
    int sum = 0;
    for (int x : Meeting{int(threadIdx.x)})
        sum += x;
    out[threadIdx.x] = sum;
}

__global__ void structured_bindings(int* out)
{
    auto [thread, size] = Indices{};
    out[thread] = size + thread;
}

__device__ int read_registers(int x)
{
    int thread, size;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(size));
    asm("mad.lo.s32 %0, %1, %2, 5;" : "=r"(thread) : "r"(thread), "r"(x));
    asm("sub.s32 %0, %0, %1;" : "+r"(thread) : "r"(size));
    return thread;
}
__global__ void registers(int* out)
{
    int own = read_registers(-3);
    __syncthreads();
    out[threadIdx.x] = own + 1000 * read_registers(2);
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    conversions<<<1, 64>>>(results, Converted{&managed});
    check("conversions", 64, [](int) { return 5; });
    operators<<<1, 64>>>(results, View{&managed});
    check("operators", 64, [](int) { return 6; });
    operators_of_enumerations<<<1, 64>>>(results, SECOND);
    check("operators_of_enumerations", 64, [](int) { return 7; });
    reference_members<<<1, 64>>>(results, Reference{managed});
    check("reference_members", 64, [](int) { return 5; });
    functions_named_max<<<1, 64>>>(results, Big{1});
    check("functions_named_max", 64, [](int) { return 9; });
    variable_templates<<<1, 64>>>(results, 0);
    check("variable_templates", 64, [](int) { return 7; });
    variables<<<1, 64>>>(results, 2);
    check("variables", 64, [](int) { return 9; });
    constant_references<<<1, 64>>>(results, 2);
    check("constant_references", 64, [](int) { return 9; });
    functions_named_abs<<<1, 64>>>(results);
    check("functions_named_abs", 64, [](int i) { return i & 1 ? i ^ 2 : i; });
    initializer_lists<<<1, 64>>>(results);
    check("initializer_lists", 64, [](int i) { return 5 * i + 3 * (63 - i); });
    ranges<<<1, 32>>>(results);
    check("ranges", 200, [](int i) { return i * 2; });
    ranges_with_operations<<<1, 64>>>(results);
    check("ranges_with_operations", 64, [](int) { return 2016; });
    structured_bindings<<<1, 64>>>(results);
    check("structured_bindings", 64, [](int i) { return 64 + i; });
    registers<<<1, 64>>>(results);
    check("registers", 64, [](int i) { return -3 * i - 59 + 1000 * (2 * i - 59); });
    std::puts("done");
}
