#include "region_results.h"
constexpr int THREADS = 64;
__device__ float load(const float* p, int i) { return p[i]; }
__device__ const int& pick(const int& a, const int& b) { return a < b ? a : b; }
struct Temp { int value; __device__ Temp(int v) : value(v) {} __device__ ~Temp() { value = -1; } __device__ const int* get() const { return &value; } __device__ int copy() const { return value; } };
__device__ int block_sum(const int& own)
{
    __shared__ int part[THREADS];
    part[threadIdx.x] = own;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < THREADS; ++i)
        sum += part[i];
    __syncthreads();
    return sum + own;
}
__device__ int through(const int* p)
{
    __syncthreads();
    int x = *p;
    __syncthreads();
    return x + *p;
}
struct Two { int a, b; };
__device__ int both(const Two& x)
{
    __syncthreads();
    return x.a + x.b;
}
__device__ Two make(int a) { return {a, 2 * a}; }
__device__ int own(int i) { return i + int(threadIdx.x); }
__global__ void values(int* out) { out[threadIdx.x] = block_sum(own(3)) + block_sum(Temp(4).copy()); }
__global__ void picked(int* out) { int a = 5; out[threadIdx.x] = block_sum(pick(a, own(100))); }
__global__ void picked_temporary(int* out) { out[threadIdx.x] = block_sum(pick(own(1), own(2))); }
__global__ void pointers(int* out) { out[threadIdx.x] = through(Temp(own(7)).get()); }
__global__ void objects(int* out) { out[threadIdx.x] = both(make(own(1))) + both({1, 2}) + both(Two{own(1), 3}); }

// Operators: objects without data, lambdas, and copies. An object that knows where it is stays there.
struct Sum { __device__ int operator()(int a, int b) const { return a + b; } };
struct Placed {
    const Placed* place;
    int value;
    __device__ Placed(int v) : place(this), value(v) {}
    __device__ int operator()(int a, int b) const { return a + b + value + (place == this ? 1000 : 0); }
};
// C++ lets compilers copy an argument of the other class.
struct Located : Placed {
    using Placed::Placed;
    __device__ Located(const Located& other) : Placed(other) {}
};
template <class Op> __device__ int combine(int own, Op op) { return op(own, __shfl_xor_sync(~0u, own, 1)); }
template <class Op> __device__ int combine_by(int own, const Op& op) { return op(own, __shfl_xor_sync(~0u, own, 1)); }
template <class Op> __device__ int combine_twice(int own, Op op)
{
    return combine(own, op) + combine_by(own, [op](int a, int b) { return op(a, b) + 1; });
}
__global__ void operators(int* out)
{
    int calls = 0, t = threadIdx.x;
    int sum = combine(t, Sum()) + combine_by(t, Sum{}) + combine_twice(t, Sum());
    sum += combine(t, [](int a, int b) { return a * b; });
    sum += combine_by(t, [&, three = 3](int a, int b) { return a + b + three * ++calls; });
    auto count = [calls](int a, int) mutable { return ++calls * 100 + a; };
    sum += combine(t, count) + combine(t, count);
    Placed placed(5);
    out[threadIdx.x] = sum + combine(t, placed) + combine(t, [placed](int a, int b) { return placed(a, b); });
}
__global__ void placed_operator(int* out) { out[threadIdx.x] = combine(threadIdx.x, Located(2)); }
__global__ void placed_in_lambda(int* out)
{
    out[threadIdx.x] = combine(threadIdx.x, [placed = Located(3)](int a, int b) { return placed(a, b); });
}
__global__ void converted_operator(int* out) { out[threadIdx.x] = combine<Located>(threadIdx.x, 4); }
int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    values<<<1, THREADS>>>(results);
    check("values", THREADS, [](int i) { return 64 * 3 + 2016 + i + 3 + 64 * 4 + 4; });
    picked<<<1, THREADS>>>(results);
    check("picked", THREADS, [](int i) { return 65 * 5; });
    picked_temporary<<<1, THREADS>>>(results);
    check("picked_temporary", THREADS, [](int i) { return 64 + 2016 + i + 1; });
    pointers<<<1, THREADS>>>(results);
    check("pointers", THREADS, [](int i) { return 2 * (i + 7); });
    objects<<<1, THREADS>>>(results);
    check("objects", THREADS, [](int i) { return 3 * (i + 1) + 3 + i + 1 + 3; });
    operators<<<1, THREADS>>>(results);
    check("operators", THREADS, [](int i) {
        const int both = i + (i ^ 1);
        return 4 * both + 1 + i * (i ^ 1) + both + 3 + 2 * (200 + i) + 2 * (both + 5);
    });
    placed_operator<<<1, THREADS>>>(results);
    check("placed_operator", THREADS, [](int i) { return i + (i ^ 1) + 1002; });
    placed_in_lambda<<<1, THREADS>>>(results);
    check("placed_in_lambda", THREADS, [](int i) { return i + (i ^ 1) + 1003; });
    converted_operator<<<1, THREADS>>>(results);
    check("converted_operator", THREADS, [](int i) { return i + (i ^ 1) + 1004; });
    std::printf("done\n");
}
