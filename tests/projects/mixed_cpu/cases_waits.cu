// Loops that seem to count, or to update memory by atomicCAS, and wait for another thread: the names and operators in
// them are those of the user. With the ones of CUDA, the last kernel is a plain loop.
#include "region_results.h"

__device__ int read_flag(int* flag) { return atomicAdd(flag, 0); }
#define WAIT_FOR(flag, ...) \
    if (threadIdx.x == 0) { \
        __VA_ARGS__ \
        out[0] = 5; \
    } else { \
        out[threadIdx.x] = 6; \
        if (threadIdx.x == 40) \
            atomicExch(flag, 1); \
    }

namespace user {
__device__ int atomicCAS(int* flag, int seen, int) { return read_flag(flag) ? seen : seen + 1; }
__global__ void function_of_a_namespace(int* out, int* flag)
{
    WAIT_FOR(flag, int old = 0, seen; do { seen = old; old = atomicCAS(flag, seen, 1); } while (seen != old);)
}
}
__global__ void local_function(int* out, int* flag)
{
    auto atomicCAS = [](int* p, int seen, int) { return read_flag(p) ? seen : seen + 1; };
    WAIT_FOR(flag, int old = 0, seen; do { seen = old; old = atomicCAS(flag, seen, 1); } while (seen != old);)
}
struct Value {
    int* flag;
    __device__ Value& operator++() { return *this; }
};
__device__ bool operator!=(Value a, Value) { return !read_flag(a.flag); }
__device__ bool operator<(Value a, int) { return !read_flag(a.flag); }
__device__ Value atomicCAS(int*, Value seen, int) { return seen; }
__global__ void comparison(int* out, int* flag)
{
    WAIT_FOR(flag, Value old{flag}; Value seen = old;
             do { seen = old; old = atomicCAS(flag, seen, 1); } while (seen != old);)
}
__global__ void counter_of_a_class(int* out, int* flag)
{
    WAIT_FOR(flag, for (Value i{flag}; i < 1; ++i) {})
}
__device__ int atomicRetry(int& i, int* flag) { return read_flag(flag) ? 0 : (i = -1); }
__global__ void changed_counter(int* out, int* flag)
{
    int result = 0;
    WAIT_FOR(flag, for (int i = 0; i < 1; ++i) result += atomicRetry(i, flag);)
}

// Another kernel made the object, so that the second one refers to no function.
struct Object {
    __device__ virtual int get() const { return __shfl_xor_sync(~0u, int(threadIdx.x), 1); }
};
__device__ Object* object;
__global__ void make_object() { object = new Object; }
__global__ void virtual_function(int* out) { out[threadIdx.x] = object->get(); }
__global__ void delete_object() { delete object; }

// Constant expressions can have such loops, too.
__host__ __device__ constexpr int count_bits(unsigned value)
{
    int count = 0;
    while (value >>= 1)
        ++count;
    return count;
}
__device__ unsigned long long total;
__global__ void real_update(int* out, int*)
{
    constexpr int size = count_bits(64);
    __shared__ int bits[count_bits(64)];
    bits[threadIdx.x % size] = 6;
    unsigned long long old = total, seen;
    do {
        seen = old;
        old = atomicCAS(&total, seen, seen + 1);
    } while (seen != old);
    out[threadIdx.x] = threadIdx.x ? bits[threadIdx.x % size] : 5;
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    const auto expected = [](int i) { return i ? 6 : 5; };
    int* flag = results + 100;
#define RUN(kernel) \
    *flag = 0; \
    kernel<<<1, 63>>>(results, flag); \
    check(#kernel, 63, expected)
    RUN(user::function_of_a_namespace);
    RUN(local_function);
    RUN(comparison);
    RUN(counter_of_a_class);
    RUN(changed_counter);
    RUN(real_update);
    make_object<<<1, 1>>>();
    virtual_function<<<1, 64>>>(results);
    check("virtual_function", 64, [](int i) { return i ^ 1; });
    delete_object<<<1, 1>>>();
    std::puts("done");
}
