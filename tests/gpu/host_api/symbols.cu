// Copies to and from device variables that are templates, and prints what kernels read. The output,
// symbols.txt, is that of CUDA 13.0 on an H100 (driver 580.159). The runtime of the CPU backend prints
// the same.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define DO(call)                                                                          \
    do {                                                                                  \
        const cudaError_t result = call;                                                  \
        if (result != cudaSuccess) {                                                      \
            std::printf("%s failed: %s\n", #call, cudaGetErrorName(result));              \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (false)
#define SHOW(...) std::printf("%s: %s\n", #__VA_ARGS__, cudaGetErrorName(__VA_ARGS__))

template <class T>
__constant__ T constants[4];
template <class T, int count>
__device__ T values[count] = {T(1), T(2)};
template <class T>
__device__ T one_value = T(5);
template <>
__constant__ double constants<double>[4] = {0.5, 1.5, 2.5, 3.5};
template <class T>
static __constant__ T static_constants[2];
namespace {
template <class T>
__device__ T hidden[2];
}
namespace inner {
template <class T>
struct Pair {
    T first, second;
};
template <class T>
__constant__ Pair<T> pair;
}  // namespace inner

template <class T>
__global__ void read(T* out) {
    for (int i = 0; i < 4; ++i) out[i] = constants<T>[i];
    out[4] = values<T, 2>[0];
    out[5] = values<T, 3>[1];
    out[6] = one_value<T>;
    out[7] = static_constants<T>[1];
    out[8] = hidden<T>[1];
    out[9] = inner::pair<T>.first;
    out[10] = inner::pair<T>.second;
    one_value<T> = one_value<T> + T(1);
}

template <class T>
static void copy(const char* name) {
    const T input[4] = {T(10), T(20), T(30), T(40)};
    const inner::Pair<T> pair = {T(50), T(60)};
    T output[11] = {}, value = T(0);
    T* device = nullptr;
    void* address = nullptr;
    size_t bytes = 0;
    std::printf("%s\n", name);
    DO(cudaMalloc(&device, sizeof output));
    read<<<1, 1>>>(device);
    DO(cudaMemcpy(output, device, sizeof output, cudaMemcpyDeviceToHost));
    for (const T number : output) std::printf(" %g", static_cast<double>(number));
    std::printf("\n");
    SHOW(cudaMemcpyToSymbol(constants<T>, input, sizeof input));
    SHOW(cudaMemcpyToSymbol(values<T, 2>, input, sizeof(T)));
    SHOW(cudaMemcpyToSymbol(values<T, 3>, input, sizeof(T), sizeof(T)));
    SHOW(cudaMemcpyToSymbol(static_constants<T>, input, 2 * sizeof(T)));
    SHOW(cudaMemcpyToSymbolAsync(hidden<T>, input, 2 * sizeof(T), 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToSymbol(inner::pair<T>, &pair, sizeof pair));
    SHOW(cudaMemcpyFromSymbol(&value, one_value<T>, sizeof value));
    std::printf("one value is %g\n", static_cast<double>(value));
    SHOW(cudaGetSymbolSize(&bytes, constants<T>));
    std::printf("%zu elements\n", bytes / sizeof(T));
    SHOW(cudaGetSymbolAddress(&address, one_value<T>));
    DO(cudaMemcpy(address, input + 2, sizeof(T), cudaMemcpyHostToDevice));
    read<<<1, 1>>>(device);
    DO(cudaMemcpy(output, device, sizeof output, cudaMemcpyDeviceToHost));
    for (const T number : output) std::printf(" %g", static_cast<double>(number));
    std::printf("\n");
    SHOW(cudaMemcpyToSymbol(constants<T>, input, sizeof input + 1));
    DO(cudaFree(device));
}

int main() {
    copy<float>("float");
    copy<double>("double");
    copy<short>("short");
    short number = 0;
    SHOW(cudaMemcpyFromSymbol(&number, one_value<short>, sizeof number));
    std::printf("one value is %d\n", number);
    // No kernel uses this one.
    const long long unused[4] = {};
    SHOW(cudaMemcpyToSymbol(constants<long long>, unused, sizeof unused));
    return 0;
}
