// One of everything that a mixed CUDA source can contain.
#include <cuda_runtime.h>

#include "features.cuh"

__device__ float weights[16];
static __device__ int counter;
__constant__ float table[4] = {1, 2, 3, 4};
__constant__ const int limit = 4;
__managed__ int shared_value = 3;
static __managed__ float static_values[4], more_values[2];
namespace {
__device__ int anonymous_value;
}
namespace ns {
__device__ int value;
static __constant__ int constant;
template <class T>
__device__ T generic;
struct Item;
__global__ void take(Item *item);
__global__ void outside(int *p);
struct Item {
    friend __global__ void take(Item *item);

private:
    int content;
};
template <class T>
struct Box {
    T content;
};
template <class T>
__global__ void unbox(Box<T> box) {
    box.content = T();
}
}
__global__ void ns::outside(int *p) { *p = 1; }
__global__ void ns::take(Item *item) { item->content = 3; }

__global__ void forward(int *p);
__global__ void forward(int *p) {
    *p = weights[0] + counter + table[1] + shared_value + static_values[0] + more_values[1] +
         anonymous_value + ns::value + ns::constant + ns::generic<float> + limit;
}
inline __global__ void inlined(int *p) { *p = 3; }
static __global__ void
internal(int *p)
{
    *p = 2;
}
namespace {
__global__ void anonymous(int *p) { *p = 3; }
template <int N>
__global__ void anonymous_template(int *p) {
    *p = N;
}
}
struct Late;
__global__ void takes_late(Late late);
void (*const late_pointer)(Late) = takes_late;
struct Late {
    int content;
};
__global__ void takes_late(Late late) { late.content = 3; }
extern "C" __global__ void unmangled(int *p) { *p = 4; }
__global__ void overloaded(int *p) { *p = 1; }
__global__ void overloaded(float *p) { *p = 1; }
template <class T, int N>
__global__ void __launch_bounds__(128, 2) bounded(T *p) {
    *p = N;
}
template <>
__global__ void bounded<float, 3>(float *p) {
    *p = 1;
}
template <class... Ts>
__global__ void pack(Ts...) {}
template __global__ void pack<int, float>(int, float);
template <class T>
static __global__ void declared(T *p, int n = 4);
template <class T>
static __global__ void declared(T *p, int n) {
    *p = n;
}
__global__ void all_kinds(const __grid_constant__ int x, int *__restrict__ p, int (*f)(int, char),
                          const int q[3] = nullptr) {
    *p = x + (f != nullptr) + (q != nullptr);
}
[[maybe_unused]] static __global__ void unused(int) {}

__device__ float device_only(float x) { return x * 2; }
__host__ __device__ float both(float x) {
#ifdef __CUDA_ARCH__
    return x;
#else
    return x + 1;
#endif
}

template <void (*F)(int *)>
void launch_parameter(int *p) {
    F<<<1, 2>>>(p);
}
template <class T>
struct Host {
    T *p;
    void go(int n) {
        pack<<<1, 2>>>(n, p);
        auto launch = [=] { overloaded<<<n, 2>>>(p); };
        launch();
    }
    static void choose(T *p, int n) { (n ? forward : inlined)<<<1, 1>>>(p); }
};
static void use_lambdas(int *p) {
    pack<<<1, 1>>>([=] __device__() { return p[0]; },
                   [=] __host__ __device__(int i) { return p[i]; });
}
namespace other { namespace inner {
template <class F>
__global__ void apply(int *p, F f) {
    auto store = [&](auto value) { *p = f(value); };  // cudafe++ disables it in a disabled kernel
    store(1);
}
}
template <class F>
void use_generic(int *p, F &&f) {
    inner::apply<<<1, 1>>>(p, static_cast<F &&>(f));
}
}
namespace {
template <class F>
void use_nested(F f) {
    pack<<<1, 1>>>(f);
    pack<<<1, 1>>>([=] __device__() { return 0; });
}
}
namespace other {
using ns::outside;
}
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

int main() {
    int *p;
    cudaMalloc(&p, 64);
    shared_value = 4;
    static_values[2] = shared_value;
    more_values[0] = static_values[2];
    forward<<<1, 32>>>(p);
    other::outside<<<1, /* a comment */
                     1, 0>>>(p);
    ns::Item *item = nullptr;
    take<<<1, 1>>>(item);
    ns::Box<int> box{};
    unbox<<<1, 1, 0, nullptr>>>(box);
    inlined<<<1, 1>>>(p);
    internal<<<dim3(1), 1>>>(p);
    anonymous<<<1, 1>>>(p);
    anonymous_template<3><<<1, 1>>>(p);
    unmangled<<<1, 1>>>(p);
    late_pointer<<<1, 1>>>(Late{1});
    LAUNCH(overloaded, p);
    LAUNCH((bounded<int, 4>), p);
    bounded<float, 3><<<1, 1>>>(reinterpret_cast<float *>(p));
    declared<<<1, 1>>>(p);
    all_kinds<<<1, 1>>>(3, p, nullptr);
    launch_parameter<forward>(p);
    Host<int>{p}.go(3);
    Host<int>::choose(p, 2);
    use_lambdas(p);
    other::use_generic(p, [] __device__(int i) { return i; });
    use_nested(3);
    from_header<<<1, 1>>>(p);
    int forward = 3;
    (void)forward;
    ::forward<<<1, 1>>>(p);
    void (*pointer)(int *) = internal;
    pointer<<<1, 1>>>(p), pointer<<<2, 2>>>(p);
    if (p)
        overloaded<<<1, 1>>>(p);
    else
        overloaded<<<2, 2>>>(p);
    cudaMemcpyToSymbol(weights, p, 4);
    cudaFuncSetAttribute(bounded<int, 4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000);
    cudaLaunchKernel(reinterpret_cast<void *>(internal), dim3(1), dim3(1), nullptr, 0, nullptr);
    const char *text = "k<<<1, 2>>>(p), (__cudaPushCallConfiguration(1, 2)) ? (void)0 : k(p)";
    return both(1) > 2 && text[0] == 'x';
}
