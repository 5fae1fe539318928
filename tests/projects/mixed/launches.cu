// Launches of all forms, in a source with host code.
#define ORIGIN 1
#include "check.hpp"
#include "templates.cuh"

#include <cuda_runtime.h>

extern int read_int(const int* device);
extern void run_other();
extern void run_c_host();

struct Counter {
    explicit Counter(int* where) : where(where) { ++constructed; }
    static int constructed;
    int* where;
};
int Counter::constructed = 0;
static Counter global_counter(nullptr);  // runs once, on the host

__device__ float weights[4];
static __device__ int calls;
__constant__ int table[3] = {10, 20, 30};
__managed__ int shared_number = 5;

__device__ int twice(int value) { return 2 * value; }

__host__ __device__ int where_am_i() {
#ifdef __CUDA_ARCH__
    return 2;
#else
    return 1;
#endif
}

extern "C" __global__ void c_kernel(int* out) { out[0] = table[1]; }
__global__ void overloaded(int* out, int value) { out[0] = value; }
__global__ void overloaded(int* out, double value) { out[0] = static_cast<int>(value * 2); }
__global__ void __launch_bounds__(64) later(int* out, int value = 3);
__global__ void report(int* out) { out[0] = where_am_i() * 100 + twice(4); }
__global__ void use_variables(int* out) {
    calls = calls + 1;
    out[0] = static_cast<int>(weights[2]) + calls;
    shared_number = shared_number + 1;
}
__global__ void no_arguments() { calls = 40; }
__global__ void increment(int& value) { value += 1; }
__global__ void set_first(int (&values)[1], char number) { values[0] = number; }
template <class T>
__global__ void add(double factor, T& out, const T& value) {
    out += static_cast<T>(factor) * value;
}

namespace {
__global__ void hidden(int* out) { out[0] = 77; }
template <int N>
__global__ void hidden_number(int* out) { out[0] = N; }
}  // namespace

namespace outer {
namespace inner {
__global__ void nested(int* out, shapes::Point p) { out[0] = p.x - p.y; }
}  // namespace inner
using inner::nested;
}  // namespace outer

template <class... T>
__global__ void sum(int* out, T... values) {
    out[0] = (0 + ... + static_cast<int>(values));
}

template <class F>
__global__ void apply(F function, int* out) { out[0] = function(20); }

struct Triple {
    __device__ int operator()(int value) const { return 3 * value; }
};

static __device__ int halve(int value) { return value / 2; }
template <int N>
__device__ int times(int value) {
    return N * value;
}
template <int (*Function)(int)>
__global__ void call(int* out) {
    out[0] = Function(20);
}
namespace {
template <int (*... Functions)(int)>
__global__ void call_all(int* out) {
    out[0] = 20;
    ((out[0] = Functions(out[0])), ...);
}
}  // namespace

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

template <class T>
struct Runner {
    T* out;
    void run(T value) { fill<<<dim3(1), dim3(1)>>>(out, 1, value); }
    template <void (*Kernel)(int*)>
    void run_kernel() { Kernel<<<1, 1>>>(out); }
};

struct Size {  // one conversion makes it a launch parameter
    operator dim3() const { return dim3(1); }
};

static void (*chosen)(int*) = hidden;

static void run_forms(int* d) {
    fill<<<1, 1>>>(d, 1);
    check("default argument", read_int(d) == 7);
    const double eight = 8.9;
    fill<int><<<1, 1, 0>>>(d, 1, eight);
    check("conversion", read_int(d) == 8);
    fill<<<1, 1, 0, nullptr>>>(d, 1, 9);
    check("deduction", read_int(d) == 9);
    shift<<<1, 1>>>(d, shapes::Point{1, 2});
    check("argument-dependent lookup", read_int(d) == 21);
    overloaded<<<1, 1>>>(d, 4);
    check("overload for int", read_int(d) == 4);
    overloaded<<<1, 1>>>(d, 4.5);
    check("overload for double", read_int(d) == 9);
    later<<<1, 1>>>(d);
    check("kernel that is defined later", read_int(d) == 3);
    c_kernel<<<1, 1>>>(d);
    check("extern C", read_int(d) == 20);
    hidden<<<1, 1>>>(d);
    check("anonymous namespace", read_int(d) == 77);
    hidden_number<5><<<1, 1>>>(d);
    check("template in anonymous namespace", read_int(d) == 5);
    outer::nested<<<1, 1>>>(d, {9, 4});
    check("using declaration", read_int(d) == 5);
    sum<<<1, 1>>>(d, 1, 2.0, 3L);
    check("parameter pack", read_int(d) == 6);
    call<halve><<<1, 1>>>(d);
    check("static device function as template argument", read_int(d) == 10);
    call<times<3>><<<1, 1>>>(d);
    check("instance of a device function as template argument", read_int(d) == 60);
    call_all<halve, times<7>><<<1, 1>>>(d);
    check("pack of device functions", read_int(d) == 70);
    write_origin<<<1, 1>>>(d);
    check("static kernel of a header", read_int(d) == 1);
    report<<<1, 1>>>(d);
    check("__CUDA_ARCH__", read_int(d) == 208 && where_am_i() == 1);
    set_first<<<1, 1>>>(reinterpret_cast<int(&)[1]>(*d), 6);
    increment<<<1, 1>>>(*d);
    add<<<1, 1>>>(2, *d, *d);
    check("references", read_int(d) == 21);
    LAUNCH(hidden_number<6>, d);
    check("macro", read_int(d) == 6);
    fill<<<  // a comment
        Size(), /* another */
        1
        >>>(d,
            1, 11);
    check("comments and line breaks", read_int(d) == 11);
    const char* text = "fill<<<1, 1>>>(d, 1, 99);";
    check("string", text[4] == '<' && read_int(d) == 11);
}

static void run_callees(int* d) {
    chosen<<<1, 1>>>(d);
    check("function pointer", read_int(d) == 77);
    void (*pointers[])(int*) = {hidden_number<1>, hidden_number<2>};
    pointers[1]<<<1, 1>>>(d);
    check("table", read_int(d) == 2);
    (d == nullptr ? hidden : hidden_number<3>)<<<1, 1>>>(d);
    check("conditional expression", read_int(d) == 3);
    void (*hidden)(int*) = hidden_number<4>;
    hidden<<<1, 1>>>(d);
    check("local that shadows a kernel", read_int(d) == 4);
    void (*changing)(int&) = increment;
    changing<<<1, 1>>>(*d);
    check("pointer to a kernel with a reference", read_int(d) == 5);
    Runner<int>{d}.run(12);
    check("class member", read_int(d) == 12);
    Runner<int>{d}.run_kernel<hidden_number<13>>();
    check("template argument", read_int(d) == 13);
    const auto launch = [d](int value) { fill<<<1, 1>>>(d, 1, value); };
    launch(14);
    check("lambda", read_int(d) == 14);
#ifdef DEVICE_LAMBDAS
    const int offset = 3;
    apply<<<1, 1>>>([=] __device__(int value) { return value + offset; }, d);
    check("device lambda", read_int(d) == 23);
#endif
    apply<<<1, 1>>>(Triple{}, d);
    check("function object", read_int(d) == 60);
}

static void run_api(int* d) {
    int value = 15;
    int count = 1;
    void* arguments[] = {&d, &count, &value};
    check("cudaLaunchKernel", cudaLaunchKernel((void*)fill<int>, dim3(1), dim3(1), arguments, 0, 0) == cudaSuccess);
    check("cudaLaunchKernel ran", read_int(d) == 15);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    check("cudaLaunchKernelEx", cudaLaunchKernelEx(&config, fill<int>, d, 1, 16) == cudaSuccess);
    check("cudaLaunchKernelEx ran", read_int(d) == 16);
    check("cudaFuncSetAttribute",
          cudaFuncSetAttribute(fill<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000) == cudaSuccess);
    cudaFuncAttributes attributes;
    check("cudaFuncGetAttributes", cudaFuncGetAttributes(&attributes, later) == cudaSuccess &&
                                       attributes.maxThreadsPerBlock > 0);
    int blocks = 0;
    check("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum<int>, 32, 0) == cudaSuccess &&
                           blocks > 0);
    fill<<<1, 5000>>>(d, 1, 17);
    const cudaError_t failure = cudaGetLastError();
    check(cudaGetErrorName(failure), failure == cudaErrorInvalidValue);
    check("cleared error", cudaGetLastError() == cudaSuccess);
}

static void run_variables(int* d) {
    const float values[4] = {1, 2, 3, 4};
    check("cudaMemcpyToSymbol", cudaMemcpyToSymbol(weights, values, sizeof values) == cudaSuccess);
    use_variables<<<1, 1>>>(d);
    check("device variables", read_int(d) == 4);
    cudaDeviceSynchronize();
    check("managed variable", shared_number == 6);
    no_arguments<<<1, 1>>>();
    int found = 0;
    check("cudaMemcpyFromSymbol", cudaMemcpyFromSymbol(&found, calls, sizeof found) == cudaSuccess && found == 40);
    const int numbers[3] = {1, 50, 3};
    cudaMemcpyToSymbol(table, numbers, sizeof numbers);
    c_kernel<<<1, 1>>>(d);
    check("constant variable", read_int(d) == 50);
}

__global__ void later(int* out, int value) { out[0] = value; }

int main() {
    int* d = nullptr;
    check("cudaMalloc", cudaMalloc(&d, 64) == cudaSuccess);
    run_forms(d);
    run_callees(d);
    run_api(d);
    run_variables(d);
    run_other();
    run_c_host();
    check("host constructors run once", Counter::constructed == 1);
    cudaFree(d);
    if (failures == 0) std::printf("PASSED\n");
    return failures;
}
