// Kernels, device variables, and host code of all kinds in one source.
#include "check.h"
#include "shared.h"

#include <cstring>
#include <iostream>
#include <map>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std;

// Host variables with constructors: an image that ran them would print a second time.
struct Tracer {
    explicit Tracer(const char* name) { printf("constructed %s\n", name); }
    int value = 1;
};
template <class T>
struct Holder {
    static Tracer tracer;
};
template <class T>
Tracer Holder<T>::tracer("a member of a template");
inline Tracer inline_tracer("an inline variable");
Tracer tracer("a variable");
map<string, vector<int>> registry = {{"a", {1, 2}}};
thread_local vector<int> scratch(3);

// Device variables.
extern __device__ int declared;
__device__ int declared = 4;
__device__ int number = 1, numbers[2] = {2, 3}, *address;
__constant__ float unsized[] = {0.5f, 1.5f, 2.5f};
__constant__ const int constant = 7;
__device__ constexpr int evaluated = 8;
static __constant__ char text[] = "hello";
__device__ const char* const names[] = {"x", "y"};
namespace ns {
namespace {
__device__ int hidden = 9;
}
__managed__ double managed = 1.5;
}  // namespace ns
__managed__ int counter = 5;
static __managed__ int own[3];

// Device functions.
struct alignas(16) Vec {
    float x, y, z;
    __host__ __device__ explicit Vec(float a, float b = 0, float c = 0) : x{a}, y(b), z{c} {}
    __device__ float divided() const { return x + __fdividef(y, z); }
    __host__ __device__ Vec operator+(const Vec& o) const {
        return Vec(x + o.x, y + o.y, z + o.z);
    }
};
struct Base {
    __device__ virtual float get() const { return 1; }
};
struct Derived : Base {
    float value;
    __device__ explicit Derived(float v) : value(v) {}
    __device__ float get() const override { return value; }
};
static __inline__ __device__ float doubled(float x) { return x * 2; }
__device__ __forceinline__ float incremented(float x) { return doubled(x) - x + 1; }
__device__ float negated(float x);
template <typename T>
__device__ T larger(T a, T b) {
    return a > b ? a : b;
}
template <>
__device__ float larger<float>(float a, float b) {
    return a < b ? a : b;  // so that the specialization is visible
}
__device__ auto deduced(int x) { return x + 0.5; }
__device__ constexpr int cubed(int x) { return x * x * x; }
constexpr int cubed_by_host = cubed(3);
static __host__ __device__ int used_by_device(int x) { return x; }
typedef float (*Unary)(float);
__device__ Unary table[] = {doubled, &incremented, negated};

// Kernels.
__global__ void __launch_bounds__(256, 2) declared_first(float* out, int n);
template <class T, int N = 4>
__global__ void fill(T* p, T value = T(3)) {
#pragma unroll
    for (int i = 0; i < N; ++i) p[i] = value;
}
template <>
__global__ void fill<char, 2>(char* p, char) {
    p[0] = p[1] = 'z';
}
template __global__ void fill<double, 2>(double*, double);
extern "C" __global__ void plain(int* p) { *p = 11; }
static __global__ void internal_kernel(int* p) { *p = used_by_device(12); }
namespace {
__global__ void unnamed(int* p) { *p = 13; }
struct Unnamed {
    int value;
};
__global__ void with_unnamed(Unnamed u, int* p) { *p = u.value; }
}  // namespace
template <class T>
struct Limits {
    T least, most;
};
// nvcc accepts these names, which get another meaning in the class.
template <class T>
struct Range {
    using Limits = Limits<T>;
    using Vec = Vec;
    Limits limits;
};
__global__ void read_range(Range<int> r, int* p) { *p = r.limits.most - r.limits.least; }
struct WithFriend {
    friend __global__ void befriended(WithFriend w, int* p) { *p = w.secret; }

private:
    int secret = 14;
};
__global__ void use_classes(Vec a, Vec* out, float* f) {
    *out = a + Vec(1, 1, 1);
    out->x = a.divided();
    const Derived derived(5);
    const Base& base = derived;
    *f = base.get() + table[0](1) + table[1](1) + table[2](1);
}
__global__ void use_variables(float* out) {
    out[0] = number + numbers[1];
    out[1] = unsized[2];
    out[2] = constant + evaluated + ns::hidden;
    out[3] = text[1] + names[1][0];
    out[4] = larger(1.f, 2.f) + larger(1, 2) + deduced(1) + cubed(2) + add_one(0);
    out[5] = counter + own[2] + ns::managed;
    address = &number;
    counter = 77;
    own[1] = 88;
}
extern __shared__ float tile[];
__global__ void reverse(float* out) {
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
template <class F>
__global__ void call(F f, int* p) {
    f(p);
}
template <class F>
void launch_call(F f, int* p) {
    call<<<1, 1>>>(f, p);
}
__global__ void declared_first(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrtf(i) + fabs(-1.0f) + max(1, 2) + min(2.0f, 1.0f);
}
__device__ float negated(float x) { return -x; }

static void* run_thread(void*) { return nullptr; }

static void check_kernels() {
    float f[8];
    declared_first<<<2, 4>>>(f, 8);
    CHECK(f[4] == 2 + 1 + 2 + 1);
    int value = 0;
    plain<<<1, 1>>>(&value);
    CHECK(value == 11);
    internal_kernel<<<1, 1>>>(&value);
    CHECK(value == 12);
    unnamed<<<1, 1>>>(&value);
    CHECK(value == 13);
    befriended<<<1, 1>>>(WithFriend(), &value);
    CHECK(value == 14);
    kernel_in_header<<<1, 1>>>(&value);
    CHECK(value == 15);
    with_unnamed<<<1, 1>>>(Unnamed{17}, &value);
    CHECK(value == 17);
    read_range<<<1, 1>>>(Range<int>{{3, 21}}, &value);
    CHECK(value == 18);
    double doubles[2];
    fill<double, 2><<<1, 1>>>(doubles, 1.5);
    CHECK(doubles[1] == 1.5);
    char chars[2];
    fill<char, 2><<<1, 1>>>(chars, 'a');
    CHECK(chars[1] == 'z');
    reverse<<<1, 4, 4 * sizeof(float)>>>(f);
    CHECK(f[0] == 3);
    Vec v(0);
    use_classes<<<1, 1>>>(Vec(2, 6, 3), &v, f);
    CHECK(v.y == 7 && v.x == 4 && *f == 5 + 2 + 2 - 1);
    struct Local {
        int value;
        __device__ void operator()(int* p) const { *p = value; }
    };
    launch_call(Local{18}, &value);
    CHECK(value == 18);
    void (*pointer)(int*) = is_second_built ? plain : internal_kernel;
    pointer<<<1, 1>>>(&value);
    CHECK(value == 11);
#ifndef __clang__
    const int captured = 19;
    launch_call([=] __device__(int* p) { *p = captured; }, &value);
    CHECK(value == 19);
#endif
}

static void check_variables() {
    float f[6];
    counter += 1;
    own[2] = 2;
    use_variables<<<1, 1>>>(f);
    CHECK(f[0] == 4 && f[1] == 2.5f && f[2] == 24 && f[3] == 'e' + 'y');
    CHECK(f[4] == 1 + 2 + 1.5 + 8 + 1001 && f[5] == 9.5);
    CHECK(counter == 77 && own[1] == 88);
    CHECK(sizeof unsized == 12 && sizeof text == 6 && constant == 7 && cubed_by_host == 27);
    const float values[3] = {9, 8, 7};
    CHECK(cudaMemcpyToSymbol(unsized, values, sizeof values) == cudaSuccess);
    use_variables<<<1, 1>>>(f);
    CHECK(f[1] == 7);
    char word[6];
    CHECK(cudaMemcpyFromSymbol(word, text, 6) == cudaSuccess && !strcmp(word, "hello"));
    int* found = nullptr;
    CHECK(cudaMemcpyFromSymbol(&found, address, sizeof found) == cudaSuccess && *found == 1);
    CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&found), numbers) == cudaSuccess);
    CHECK(found[1] == 3);
    // Device variables of all kinds are memory of the device; variables of the host are not.
    const int fives[2] = {5, 5};
    change_variables_of_second();
    int in_header[2] = {0, 0};
    read_header<<<1, 1>>>(in_header);
    CHECK(in_header[0] == 40 && in_header[1] == 'b' && launch_from_second() == 16);
    read_inline<<<1, 1>>>(in_header);
    CHECK(in_header[0] == 435);
    // Each source has its own copy of it, but there is only one shadow.
    const cudaError_t ambiguous = cudaMemcpyToSymbol(inline_number, fives, sizeof inline_number);
    CHECK(ambiguous == cudaErrorInvalidSymbol);
    CHECK(strstr(kbuild_error_message(ambiguous), "several sources of kernel target program"));
    CHECK(cudaMemcpy(&counter, fives, sizeof counter, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(found, &counter, sizeof *found, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaMemcpyFromSymbol(word, declared, sizeof declared) == cudaSuccess && word[0] == 4);
    CHECK(found[0] == 5 && cudaMemset(found + 1, 0, sizeof *found) == cudaSuccess);
    CHECK(found[1] == 0 && cudaMemset(word, 0, sizeof word) == cudaErrorInvalidValue);
}

int main(int argc, char**) {
    try {
        if (argc > 0) throw runtime_error("thrown");
    } catch (const exception& error) {
        cout << error.what() << endl;
    }
    pthread_t thread;
    pthread_create(&thread, nullptr, run_thread, nullptr);
    pthread_join(thread, nullptr);
    check_kernels();
    check_variables();
    CHECK(add_in_host_library(1) == 2 && launch_from_second() == 16);
    CHECK(Holder<int>::tracer.value == 1 && scratch.size() == 3 && registry.size() == 1);
}
