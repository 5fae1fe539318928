// Launches with CUDA's runtime and driver.
#include "../ways.hpp"

#include "peer.hpp"

#include "../shared_ways.hpp"

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

namespace {

decltype(&cuLaunchKernelEx) launch_by_driver;
CUfunction function;

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    std::exit(1);
}

void by_runtime() {
    int n = 1;
    float a = 2;
    const float* x = memory;
    float* y = memory;
    void* arguments[] = {&n, &a, &x, &y};
    (void)cudaLaunchKernel(reinterpret_cast<const void*>(direct), dim3(1), dim3(32), arguments, 0,
                           stream);
}

void by_cuda_kernel() {
    static cudaKernel_t kernel = [] {
        cudaKernel_t found;
        require(cudaGetKernel(&found, reinterpret_cast<const void*>(direct)) == cudaSuccess,
                "cudaGetKernel");
        return found;
    }();
    int n = 1;
    float a = 2;
    const float* x = memory;
    float* y = memory;
    void* arguments[] = {&n, &a, &x, &y};
    (void)cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(32), arguments, 0,
                           stream);
}

void by_driver() {
    int n = 1;
    float a = 2;
    const float* x = memory;
    float* y = memory;
    void* arguments[] = {&n, &a, &x, &y};
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    (void)launch_by_driver(&config, function, arguments, nullptr);
}

extern "C" unsigned __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);

void push_and_pop() {
    dim3 grid, block;
    size_t bytes;
    cudaStream_t popped;
    __cudaPushCallConfiguration(dim3(1), dim3(32), 0, stream);
    __cudaPopCallConfiguration(&grid, &block, &bytes, &popped);
}

}  // namespace

const Way ways[] = {
    {"<<<>>> by nvcc", by_chevrons, true},
    {"<<<>>> by kbuild", by_kbuild_chevrons, true},
    {"kbuild::launch", by_kbuild, true},
    {"kbuild::launch, kernel in another file", by_kbuild_elsewhere, true},
    {"kbuild::launch, debug stub", by_kbuild_stub, true},
    {"cudaLaunchKernel", by_runtime, true},
    {"cudaLaunchKernel, cudaKernel_t", by_cuda_kernel, true},
    {"cuLaunchKernelEx", by_driver, true},
    {"push and pop alone", push_and_pop, false},
    {"a call of nothing", do_nothing, false},
    {nullptr, nullptr, false},
};

void prepare() {
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "stream");
    require(cudaMalloc(reinterpret_cast<void**>(&memory), 128) == cudaSuccess, "cudaMalloc");
}

void prepare_way(const Way& way) {
    if (way.launch != by_driver) return;
    cudaFunction_t found;
    require(cudaGetFuncBySymbol(&found, reinterpret_cast<const void*>(direct)) == cudaSuccess,
            "function");
    function = found;
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult result;
    require(cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 12000, cudaEnableDefault,
                                             &result) == cudaSuccess,
            "cuLaunchKernelEx");
    launch_by_driver = reinterpret_cast<decltype(launch_by_driver)>(entry);
}

void synchronize() { (void)cudaStreamSynchronize(stream); }

void require_success(const char* what) { require(cudaGetLastError() == cudaSuccess, what); }

void describe_device() {
    cudaDeviceProp device;
    int driver = 0, runtime = 0;
    require(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "cudaGetDeviceProperties");
    require(cudaDriverGetVersion(&driver) == cudaSuccess, "cudaDriverGetVersion");
    require(cudaRuntimeGetVersion(&runtime) == cudaSuccess, "cudaRuntimeGetVersion");
    std::printf("device\t%s (sm_%d%d), the driver's CUDA %d.%d, cudart %d.%d\n", device.name,
                device.major, device.minor, driver / 1000, driver % 1000 / 10, runtime / 1000,
                runtime % 1000 / 10);
}
