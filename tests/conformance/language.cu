// Features of the language in device code.
#include "conformance.hpp"

#include <cassert>
#include <cmath>

// Dynamic shared memory of several types, which all start at the same address.
extern __shared__ int shared_ints[];
namespace inner {
extern __shared__ double shared_doubles[];
struct Item {
    float weight;
    short index;
};
extern __shared__ Item shared_items[];
}  // namespace inner

template <class T>
__device__ T reverse_in_shared_memory(T value) {
    extern __shared__ unsigned char shared_bytes[];
    T* shared = reinterpret_cast<T*>(shared_bytes);
    shared[threadIdx.x] = value;
    __syncthreads();
    const T result = shared[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    return result;
}

__global__ void test_extern_shared(long long* out) {
    extern __shared__ long long local[];
    const int i = static_cast<int>(threadIdx.x);
    local[i] = 0x0102030405060708 * (i + 1);
    __syncthreads();
    long long sum = shared_ints[2 * i];
    __syncthreads();
    sum += reverse_in_shared_memory(3 * i);
    sum += static_cast<long long>(reverse_in_shared_memory(2.5 * i));
    inner::shared_doubles[i] = i;
    __syncthreads();
    sum += local[i] >> 44;
    __syncthreads();
    inner::shared_items[i] = inner::Item{static_cast<float>(i), static_cast<short>(i)};
    __syncthreads();
    sum += inner::shared_items[63 - i].index + static_cast<long long>(inner::shared_items[i].weight);
    out[i] = sum;
}

template <class T, int count>
__global__ void test_static_shared(T* out) {
    __shared__ T values[count];
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    values[threadIdx.x] = static_cast<T>(threadIdx.x * 3);
    __syncthreads();
    atomicAdd(&total, 1);
    __syncthreads();
    out[threadIdx.x] = values[count - 1 - threadIdx.x] + static_cast<T>(total);
}

// Pointers to functions, virtual functions, and recursion.
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
using Function = int (*)(int, int);
__device__ Function functions[] = {add, multiply};

__global__ void test_function_pointers(int* out) {
    const int i = static_cast<int>(threadIdx.x);
    Function function = functions[i % 2];
    out[i] = function(i, 5) + (i % 3 ? add : multiply)(i, 7);
}

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
    __device__ int twice() const { return 2 * area(); }
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Rectangle final : Square {
    int other;
    __device__ Rectangle(int side, int other) : Square(side), other(other) {}
    __device__ int area() const override { return side * other; }
};
__global__ void test_virtual_functions(int* out) {
    const int i = static_cast<int>(threadIdx.x);
    const Square square(i);
    const Rectangle rectangle(i, 3);
    const Shape* shape = i % 2 ? static_cast<const Shape*>(&square) : &rectangle;
    const Shape* made = new Rectangle(i, i + 1);
    out[i] = shape->twice() + made->area();
    delete made;
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void test_recursion(int* out) { out[threadIdx.x] = fibonacci(static_cast<int>(threadIdx.x) % 12); }

// Qualifiers of kernels and of their parameters, and hints.
struct Parameters {
    int values[8];
};
__global__ void __launch_bounds__(64) test_launch_bounds(int* out) { out[threadIdx.x] = threadIdx.x; }
__launch_bounds__(64, 2) __global__ void test_launch_bounds_blocks(int* out) { out[threadIdx.x] = threadIdx.x + 1; }
template <int threads>
__global__ __launch_bounds__(threads, 1) void test_launch_bounds_template(int* out) {
    out[threadIdx.x] = threadIdx.x + threads;
}
__global__ void __maxnreg__(64) test_maxnreg(int* out) { out[threadIdx.x] = threadIdx.x + 3; }
__global__ void call_with_constant(const __grid_constant__ Parameters parameters, int* out) {
    const int* values = parameters.values;
    out[threadIdx.x] = values[threadIdx.x % 8];
}
__global__ void test_assumptions(int* out) {
    const int i = static_cast<int>(threadIdx.x);
    __builtin_assume(i >= 0);
    int* aligned = static_cast<int*>(__builtin_assume_aligned(out, 16));
    switch (i % 2) {
        case 0: aligned[i] = 1; break;
        case 1: aligned[i] = __builtin_expect(i > 5, 1) ? 2 : 3; break;
        default: __builtin_unreachable();
    }
}
__device__ __noinline__ int not_inline(int x) { return x + 1; }
__device__ __forceinline__ int always_inline(int x) { return x + 2; }
__device__ __inline__ int hint(int x) { return x + 3; }
__global__ void test_inline(int* __restrict__ out) {
    const int i = static_cast<int>(threadIdx.x);
    out[i] = not_inline(i) + always_inline(i) + hint(i);
}

// Variables of all kinds, constexpr functions, and lambdas.
__constant__ int table[4] = {1, 2, 4, 8};
__device__ int counter = 5;
template <class T>
__device__ T variable = T(3);
constexpr __host__ __device__ int square_of(int x) { return x * x; }
__global__ void test_variables(int* out) {
    const int i = static_cast<int>(threadIdx.x);
    const auto scale = [=](int x) { return x * table[i % 4] + square_of(i); };
    const auto apply = [](auto function, int x) { return function(x); };
    static constexpr int offset = square_of(4);
    out[i] = apply(scale, i) + offset + counter + variable<int>;
}

// Clocks only grow, and count short times.
__global__ void test_clocks(int* out) {
    const long long start = clock64();
    const clock_t short_start = clock();
    __nanosleep(1000);
    const clock_t short_end = clock();
    out[threadIdx.x] = (clock64() >= start) + 2 * (short_end - short_start > 0);
}

__global__ void test_assert(int* out) {
    assert(threadIdx.x < 64);
    out[threadIdx.x] = 1;
}

// The device itself prints the line of this test.
__global__ void test_printf(int* out) {
    if (threadIdx.x == 5)
        printf("printf exact %d %016llx %s%c%5.2f%%\n", 1, 0x1234567890ABCDEFull, "text", '!', 2.5);
    out[threadIdx.x] = 0;
}

// Functions of namespace std.
__global__ void test_std(int* out) {
    const float x = static_cast<float>(threadIdx.x);
    const double y = x;
    int sum = static_cast<int>(std::sqrt(x * x) + std::sqrt(y * y) + std::abs(-x) + std::fabs(y));
    sum += static_cast<int>(std::floor(x / 2) + std::ceil(y / 2) + std::fmin(x, 3.0f) + std::fmax(y, 3.0));
    sum += std::isnan(x) + 2 * std::isfinite(y) + 4 * std::signbit(-1 - x) + std::abs(-3);
    sum += static_cast<int>(std::fma(x, x, 1.0f) + std::trunc(y / 3) + std::round(x) + std::pow(2.0, 3.0));
    out[threadIdx.x] = sum;
}

// Programmatic dependent launches, without a launch that is one.
__global__ void test_grid_dependency(int* out) {
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    out[threadIdx.x] = 1;
}

// Questions about types.
__global__ void test_closure_types(int* out) {
    out[threadIdx.x] = __nv_is_extended_device_lambda_closure_type(int) +
                       __nv_is_extended_host_device_lambda_closure_type(Shape) +
                       __nv_is_extended_device_lambda_with_preserved_return_type(int);
}

template <class T>
void run(const char* name, void (*kernel)(T*), std::size_t shared_bytes = 0) {
    const conformance::DeviceVector<T> out(std::vector<T>(64));
    kernel<<<1, 64, shared_bytes>>>(out.data());
    conformance::check(cudaDeviceSynchronize(), name);
    conformance::print(name, out.read(), 0);
}

int main() {
    run("extern_shared", test_extern_shared, 64 * sizeof(long long));
    run("static_shared_int", test_static_shared<int, 64>);
    run("static_shared_short", test_static_shared<short, 64>);
    run("static_shared_double", test_static_shared<double, 64>);
    run("function_pointers", test_function_pointers);
    run("virtual_functions", test_virtual_functions);
    run("recursion", test_recursion);
    run("launch_bounds", test_launch_bounds);
    run("launch_bounds_blocks", test_launch_bounds_blocks);
    run("launch_bounds_template", test_launch_bounds_template<64>);
    run("maxnreg", test_maxnreg);
    run("assumptions", test_assumptions);
    run("inline", test_inline);
    run("variables", test_variables);
    run("clocks", test_clocks);
    run("assert", test_assert);
    run("std", test_std);
    run("closure_types", test_closure_types);
    run("grid_dependency", test_grid_dependency);
    Parameters parameters = {{3, 1, 4, 1, 5, 9, 2, 6}};
    const conformance::DeviceVector<int> out(std::vector<int>(64));
    call_with_constant<<<1, 64>>>(parameters, out.data());
    conformance::check(cudaDeviceSynchronize(), "grid_constant");
    conformance::print("grid_constant", out.read(), 0);
    std::fflush(stdout);
    test_printf<<<1, 64>>>(out.data());
    conformance::check(cudaDeviceSynchronize(), "printf");
}
