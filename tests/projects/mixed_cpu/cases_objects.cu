// Objects that must stay where they are, exist once, or select a function by their types.
#include "region_results.h"

#include <cooperative_groups.h>

struct Own {
    int value;
    int* place;
    Own() = default;
    __device__ Own(int x) : value(x), place(&value) {}
};

struct Registered {
    int value;
    __device__ Registered(Registered** places, int x) : value(x) { places[threadIdx.x] = this; }
    Registered(const Registered&) = delete;
};

template <class D> struct Base {
    int first;
    __device__ const D& self() const { return static_cast<const D&>(*this); }
};
struct Derived : Base<Derived> {
    int second;
    __device__ int value() const { return second; }
};
template <class D> __device__ int sum(const Base<D>& base)
{
    __syncwarp();
    return base.self().value() + __shfl_xor_sync(~0u, base.first, 1);
}

__device__ int select(int&) { return 1; }
__device__ int select(const int&) { return 2; }

struct Limit {
    int value;
};
template <class X> __device__ bool operator<(X&, Limit) { return true; }
template <class X> __device__ bool operator<(const X&, Limit) { return false; }

struct Subscripts {
    template <class X> __device__ int operator[](X&) const { return 1; }
    template <class X> __device__ int operator[](const X&) const { return 1000; }
};

__device__ int count_blocks()
{
    static int counter = 0;
    __shared__ int number;
    if (threadIdx.x == 0)
        number = atomicAdd(&counter, 1);
    __syncthreads();
    return number;
}

__global__ void pointers_to_members(int* out)
{
    Own own(threadIdx.x);
    own.value += 1000;
    __syncthreads();
    out[threadIdx.x] = *own.place;
}

__global__ void registered_objects(int* out)
{
    __shared__ Registered* places[64];
    Registered own(places, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = places[threadIdx.x]->value + (places[threadIdx.x] == &own ? 100 : 0);
}

__global__ void base_classes(int* out)
{
    Derived derived;
    derived.first = threadIdx.x;
    derived.second = threadIdx.x * 100;
    out[threadIdx.x] = sum(derived);
}

__global__ void overloads(int* out)
{
    int a = threadIdx.x, b = 7;
    const int c = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = select(a) * 100 + select(b) * 10 + select(c);
}

__global__ void operators(int* out, int n)
{
    int x = threadIdx.x + n;
    __syncthreads();
    out[threadIdx.x] = x < Limit{1};
}

__global__ void subscripts(int* out)
{
    int x = threadIdx.x;
    Subscripts object;
    __syncthreads();
    out[threadIdx.x] = object[x];
}

// What kernels declare in these forms would be another variable, a copy, or another type in a region.
struct Pair {
    int a, b;
};
__global__ void bindings_that_hide(int* out)
{
    const int a = threadIdx.x * 3;
    __syncthreads();
    {
        const auto [a, b] = Pair{int(threadIdx.x) + 1, 2};
        __syncthreads();
        out[threadIdx.x] = a;
    }
    out[threadIdx.x] += a * 100;
}
__global__ void lambdas_with_references(int* out)
{
    const int twice = threadIdx.x * 2;
    const auto read = [&twice] { return &twice; };
    __syncthreads();
    int other = *read();
    __syncthreads();
    out[threadIdx.x] = other + (read() == &twice);
}
__global__ void types_of_variables(int* out)
{
    int x = threadIdx.x;
    __syncthreads();
    decltype(x) y = x;
    y += 5;
    out[threadIdx.x] = x * 100 + y;
}

// The operator & of a class can return anything. Groups and slots need the address of an object all the same.
struct WithoutAddress {
    int value, other;
    __device__ WithoutAddress(int x) : value(x), other(x) {}
    __device__ WithoutAddress() {}
    __device__ int* operator&() { return nullptr; }
    __device__ const int* operator&() const { return nullptr; }
};
__global__ void addresses(int* out)
{
    const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    WithoutAddress object(threadIdx.x);
    const WithoutAddress copy = tile.shfl(object, 1);
    tile.sync();
    object.value += 1000;
    tile.sync();
    out[threadIdx.x] = object.value + copy.value + copy.other;
}

__global__ void static_variables(int* out) { out[threadIdx.x] = count_blocks(); }
__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = count_blocks(); }
__global__ void in_switch(int* out)
{
    int x = 0;
    switch (threadIdx.y) {
    case 0: x = count_blocks();
    }
    out[threadIdx.x] = x;
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    pointers_to_members<<<1, 64>>>(results);
    check("pointers_to_members", 64, [](int i) { return i + 1000; });
    registered_objects<<<1, 64>>>(results);
    check("registered_objects", 64, [](int i) { return i + 100; });
    base_classes<<<1, 64>>>(results);
    check("base_classes", 64, [](int i) { return i * 100 + (i ^ 1); });
    overloads<<<1, 64>>>(results);
    check("overloads", 64, [](int) { return 112; });
    operators<<<1, 64>>>(results, 3);
    check("operators", 64, [](int) { return 1; });
    subscripts<<<1, 64>>>(results);
    check("subscripts", 64, [](int) { return 1; });
    bindings_that_hide<<<1, 64>>>(results);
    check("bindings_that_hide", 64, [](int i) { return i + 1 + i * 300; });
    lambdas_with_references<<<1, 64>>>(results);
    check("lambdas_with_references", 64, [](int i) { return i * 2 + 1; });
    types_of_variables<<<1, 64>>>(results);
    check("types_of_variables", 64, [](int i) { return i * 101 + 5; });
    addresses<<<1, 64>>>(results);
    check("addresses", 64, [](int i) { return i + 1000 + 2 * (i / 8 * 8 + 1); });
    static_variables<<<1, 16>>>(results);
    bounded<<<1, 16>>>(results + 16);
    in_switch<<<1, 16>>>(results + 32);
    static_variables<<<1, 16>>>(results + 48);
    check("static_variables", 64, [](int i) { return i / 16; });
    std::puts("done");
}
