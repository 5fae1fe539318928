// Launches with CUDA's runtime and driver.
#include "ways.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

extern "C" unsigned __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);

namespace {

int launch_by_runtime() {
    const LaunchValues& v = *values;
    int n = v.n;
    float a = v.a;
    const float* x = v.x;
    float* y = v.y;
    void* arguments[] = {&n, &a, &x, &y};
    if (cudaLaunchKernel(reinterpret_cast<const void*>(direct), dim3(v.grid), dim3(v.block),
                         arguments, v.bytes, static_cast<cudaStream_t>(v.stream)) != cudaSuccess)
        return 1;
    return 0;
}

struct Driver {
    decltype(&cuLaunchKernelEx) launch;
    CUfunction kernel;
};

// The first launch initializes it.
Driver driver;

int find_driver() {
    void* entry = nullptr;
    cudaKernel_t kernel = nullptr;
    cudaDriverEntryPointQueryResult result;
    (void)cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 12000, cudaEnableDefault,
                                           &result);
    (void)cudaGetKernel(&kernel, reinterpret_cast<const void*>(direct));
    driver = {reinterpret_cast<decltype(&cuLaunchKernelEx)>(entry),
              reinterpret_cast<CUfunction>(kernel)};
    return 0;
}

int launch_by_driver() {
    if (driver.kernel == nullptr) return find_driver();
    const LaunchValues& v = *values;
    int n = v.n;
    float a = v.a;
    const float* x = v.x;
    float* y = v.y;
    void* arguments[] = {&n, &a, &x, &y};
    CUlaunchConfig config = {};
    config.gridDimX = static_cast<unsigned>(v.grid);
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = static_cast<unsigned>(v.block);
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = static_cast<unsigned>(v.bytes);
    config.hStream = static_cast<CUstream>(v.stream);
    if (driver.launch(&config, driver.kernel, arguments, nullptr) != CUDA_SUCCESS) return 1;
    return 0;
}

// The stub that clang generates. nvcc's stub also looks up the name of the kernel once.
__attribute__((noinline)) void call_stub(int n, float a, const float* x, float* y) {
    void* arguments[] = {&n, &a, &x, &y};
    dim3 grid, block;
    std::size_t bytes;
    cudaStream_t stream;
    __cudaPopCallConfiguration(&grid, &block, &bytes, &stream);
    (void)cudaLaunchKernel(reinterpret_cast<const void*>(direct), grid, block, arguments, bytes,
                           stream);
}

int launch_by_push_and_pop() {
    const LaunchValues& v = *values;
    if (__cudaPushCallConfiguration(dim3(v.grid), dim3(v.block), v.bytes,
                                    static_cast<cudaStream_t>(v.stream)) == 0)
        call_stub(v.n, v.a, v.x, v.y);
    return 0;
}

}  // namespace

const Way runtime_ways[] = {
    {"cuLaunchKernelEx by hand", true, launch_by_driver},
    {"cudaLaunchKernel by hand", true, launch_by_runtime},
    {"<<<>>>: push, stub, pop", false, launch_by_push_and_pop},
    {nullptr, false, nullptr},
};
