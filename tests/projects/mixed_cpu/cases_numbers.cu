// Objects that consist of numbers, or seem to.
#include "region_results.h"

struct Pair {
    int first;
    int second;
};

// The order of members, and of the values for them.
struct Swapped {
    int row;
    int column;
    __device__ int sum() const { return row + column; }
};
__global__ void places_of_members(int* out, int n)
{
    const Swapped own = {int(threadIdx.x) / 8, int(threadIdx.x) % 8};
    const Swapped turned{own.column, own.row};
    const Pair last = {n, int(threadIdx.x)};
    __shared__ int part[64];
    part[own.row * 8 + own.column] = threadIdx.x;
    __syncthreads();
    if (own.row < n)
        out[threadIdx.x] = part[turned.row * 8 + turned.column];
    else
        out[threadIdx.x] = -part[turned.column];
    if (last.second < n)
        out[threadIdx.x] += 1000;
}

// Members that a list leaves out, and those of a function of CUDA.
__global__ void missing_members(int* out)
{
    const Pair own = {int(threadIdx.x)};
    const auto both = make_int2(threadIdx.x, own.first + 1);
    const int4 all = make_int4(both.y, both.x, 3, 4);
    __syncthreads();
    out[threadIdx.x] = own.first + own.second * 1000 + all.x * 100 + all.w;
}

// The values between the first and the last thread of a row are rounded.
__global__ void rounded_members(int* out)
{
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x;
    const float near = 16777216 + threadIdx.x;
    const float2 own = make_float2(16777216 + threadIdx.x, 0);
    __syncthreads();
    out[threadIdx.x] = part[(int)near - 16777216] + 100 * part[(int)own.x - 16777216];
}

// Constants of which each thread has its own, although their values are the same.
struct Mutable {
    int value;
    mutable int count;
    __device__ int add(int x) const { return count += x; }
};
__device__ int calls;
struct Counted {
    int value;
    Counted() = default;
    template <class X> __device__ Counted(const X& x) : value(x + atomicAdd(&calls, 1)) {}
};
struct Holder {
    Counted counted;
};
__global__ void constants_of_threads(int* out)
{
    const Mutable counter{5, 0};
    const Holder holder{5};
    counter.add(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = counter.add(1) + 100 * (holder.counted.value >= 5);
    atomicMax(&out[64], holder.counted.value);
}

// Constants that all threads have in common.
struct Scale {
    const int* values;
    int factor;
    __device__ int operator()(int i) const { return values[i] * factor; }
    __device__ const Scale* self() const { return this; }
};
__global__ void common_constants(int* out, int n)
{
    __shared__ int part[64];
    const Scale* places[2];
    part[threadIdx.x] = threadIdx.x;
    for (int factor = 1; factor < n; ++factor) {
        const Scale scale{part, factor};
        places[0] = &scale;
        __syncthreads();
        places[1] = scale.self();
        const int scaled = scale(threadIdx.x ^ 1);
        __syncthreads();
        part[threadIdx.x] = scaled + (places[0] != places[1]);
    }
    out[threadIdx.x] = part[threadIdx.x];
}

// Each thread reads what it needs of a constant that differs between them.
__global__ void different_constants(int* out)
{
    const Scale scale{out, int(threadIdx.x)};
    __syncthreads();
    out[threadIdx.x] = scale.factor + 100 * scale.self()->factor;
}

// What a list gets can be changed through a reference.
struct Link {
    int& value;
    __device__ Link(int& x) : value(x) {}
};
__global__ void references_in_lists(int* out)
{
    int own = threadIdx.x;
    Link link{own};
    __syncthreads();
    link.value += 100;
    __syncthreads();
    out[threadIdx.x] = own;
}

// Members that are no numbers, or belong to no object.
struct Kinds {
    enum Kind { small, large };
    static constexpr int factor = 10;
    Kind kind;
    int value;
};
__device__ int operator+(Kinds::Kind, int) { return 7; }
__global__ void other_members(int* out)
{
    const Kinds kinds = {Kinds::large, int(threadIdx.x)};
    __syncthreads();
    out[threadIdx.x] = kinds.kind + 1 + kinds.value * kinds.factor;
}

// Names in lists are not declared there, but those of enumerators are.
__global__ void enumerators(int* out)
{
    const int first = threadIdx.x;
    __syncthreads();
    int result = first;
    {
        enum { second, first };
        result += 100 * first + 1000 * second;
    }
    const Pair pair{first, result};
    __syncthreads();
    out[threadIdx.x] = pair.first + pair.second;
}

// A user's function with the name of CUDA's.
namespace own {
__device__ int2 make_int2(int x, int y)
{
    return {y + atomicAdd(&calls, 0) * 0, x};
}
__global__ void makers(int* out)
{
    const int2 both = make_int2(threadIdx.x, 3);
    __syncthreads();
    out[threadIdx.x] = both.x * 100 + both.y;
}
}

// Loads and stores in PTX: vectors, offsets, numbers with a sign, shared memory, and hints.
__global__ void loads_and_stores(int* out, const int4* from, signed char* bytes)
{
    __shared__ float tile[64];
    unsigned place, number, top;
    int4 v;
    float a, b;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(place) : "l"(&tile[threadIdx.x]));
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from + threadIdx.x));
    asm volatile("st.shared.f32 [%0], %1;" :: "r"(place), "f"(float(v.x)));
    asm volatile("st.shared::cta.b32 [%0 + 128], %1;" :: "r"(place), "f"(float(v.w)));
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(place));
    asm volatile("ld.shared.b32 %0, [%1+%2];" : "=f"(b) : "r"(place), "n"(128));
    asm volatile("st.u8 [%0+1], %1;" :: "l"(bytes + 2 * threadIdx.x), "r"(threadIdx.x + 256));
    asm volatile("ld.s8 %0, [%1+-1];" : "=r"(number) : "l"(bytes + 2 * threadIdx.x + 1));
    asm("ld.global.u8 %0, [%1+0x0];" : "=r"(top) : "l"(bytes));
    asm volatile("prefetch.global.L2 [%0];" :: "l"(from));
    asm volatile("fence.acq_rel.gpu;");
    tile[threadIdx.x] = a + b;
    asm volatile("bar.sync 0;");
    unsigned long long before, after;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(place) : "r"(12), "r"(10), "r"(9)); // of three bits, two or more: 8
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(a) : "f"(tile[threadIdx.x ^ 1]), "f"(2.f), "f"(float(place)));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(after));
    if (after < before)
        asm volatile("trap;");
    asm volatile("st.global.cs.v2.b32 [%0], {%1, %2};" :: "l"(out + 2 * threadIdx.x), "r"(int(a)), "r"(number + top));
    if (threadIdx.x == 0)
        asm volatile("st.weak.global.b64 [%0+256], 9;" :: "l"(out));
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    places_of_members<<<1, 64>>>(results, 4);
    check("places_of_members", 64, [](int i) {
        return (i < 4) * 1000 + (i / 8 < 4 ? i % 8 * 8 + i / 8 : -(i / 8));
    });
    missing_members<<<1, 64>>>(results);
    check("missing_members", 64, [](int i) { return i + (i + 1) * 100 + 4; });
    rounded_members<<<1, 63>>>(results);
    check("rounded_members", 63, [](int i) { return int(float(16777216 + i)) % 64 * 101; });
    constants_of_threads<<<1, 64>>>(results);
    check("constants_of_threads", 65, [](int i) { return i == 64 ? 68 : i + 1 + 100; });
    common_constants<<<1, 64>>>(results, 4);
    check("common_constants", 64, [](int i) { return (i ^ 1) * 6; });
    different_constants<<<1, 64>>>(results);
    check("different_constants", 64, [](int i) { return i * 101; });
    references_in_lists<<<1, 64>>>(results);
    check("references_in_lists", 64, [](int i) { return i + 100; });
    other_members<<<1, 64>>>(results);
    check("other_members", 64, [](int i) { return 7 + i * 10; });
    enumerators<<<1, 64>>>(results);
    check("enumerators", 64, [](int i) { return i + i + 100; });
    own::makers<<<1, 64>>>(results);
    check("makers", 64, [](int i) { return 300 + i; });
    int4* from;
    signed char* bytes;
    cudaMallocManaged(&from, 32 * sizeof *from);
    cudaMallocManaged(&bytes, 64);
    for (int i = 0; i < 32; ++i) {
        from[i] = {i, 0, 0, 100};
        bytes[2 * i] = -3;
    }
    loads_and_stores<<<1, 32>>>(results, from, bytes);
    check("loads_and_stores", 66, [](int i) { return i > 63 ? (i == 64) * 9 : i % 2 ? -3 + 253 : 2 * (100 + (i / 2 ^ 1)) + 8; });
    for (int i = 0; i < 32; ++i)
        if (bytes[2 * i + 1] != i)
            std::puts("a byte");
    std::puts("done");
}
