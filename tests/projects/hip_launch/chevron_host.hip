// (b) Launches of kernels that are only declared here, with <<<>>> and a HIP compiler.
#include <hip/hip_runtime.h>

#include <cstdio>

struct Step {
    char tag;
    double time;
    short count;
    int path[3];
};

namespace ns {
__global__ void scale(float* p, float a, int n);
}
__global__ void over(int* out, int value);
__global__ void over(int* out, double value);
__global__ void advance(char first, Step step, double* out);
__global__ void nothing();
template <class T>
__global__ void copy(const T* from, T* to, unsigned char count);
extern template __global__ void copy<float>(const float*, float*, unsigned char);

extern __device__ float weights[4];
extern __managed__ int calls;

// A separate frame for stack traces.
__attribute__((noinline)) void launch_scale(float* floats)
{
    ns::scale<<<dim3(7, 8, 9), dim3(32, 2), 48, reinterpret_cast<hipStream_t>(0x1230)>>>(floats, 1.5f, -2);
    asm volatile("" ::: "memory");
}

int main()
{
    void* memory = nullptr;
    const hipError_t error = hipMalloc(&memory, 64);
    if (error != hipSuccess) {
        nothing<<<1, 1>>>();
        std::printf("without a device: %d, the launch says %d\n", error, hipGetLastError());
        return 3;
    }
    const Step step = {'t', 0.5, -3, {1, 2, -7}};
    const float values[4] = {1, 2, 3, 4};
    if (hipMemcpyToSymbol(HIP_SYMBOL(weights), values, sizeof values) != hipSuccess) return 1;
    calls += 5;
    auto* const floats = static_cast<float*>(memory);
    launch_scale(floats);
    over<<<1, 1>>>(static_cast<int*>(memory), 77);
    over<<<1, 1>>>(static_cast<int*>(memory), 7.5);
    advance<<<2, 3>>>('f', step, static_cast<double*>(memory));
    copy<float><<<1, 64>>>(floats, floats + 1, 200);
    hipLaunchKernelGGL(nothing, dim3(1), dim3(1), 0, 0);
    // By the kernel's address, as in plain C++.
    if (hipLaunchKernel(reinterpret_cast<const void*>(nothing), dim3(5), dim3(6), nullptr, 0, nullptr) != hipSuccess)
        return 1;
    std::printf("calls %d\n", calls);
    return hipFree(memory) == hipSuccess ? 0 : 1;
}
