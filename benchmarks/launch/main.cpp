// Prints nanoseconds a launch, a line a batch: `way enqueue|synchronised ns`.
#include "peer.hpp"

#include <cuda.h>
#include <kbuild/kbuild.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

KBUILD_KERNEL void direct(int n, float a, const float* x, float* y);
KBUILD_KERNEL void stubbed(int n, float a, const float* x, float* y);

namespace {

using Clock = std::chrono::steady_clock;

// Fewer than a stream's queue holds, so that no launch waits for the device.
constexpr int launches_per_batch = 200;
constexpr int synchronised_per_batch = 20;

cudaStream_t stream;
float* memory;
decltype(&cuLaunchKernelEx) launch_by_driver;
CUfunction function;

void require(bool condition, const char* what)
{
    if (condition) return;
    std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    std::exit(1);
}

void by_chevrons() { launch_by_chevrons(1, 2.0f, memory, memory, stream); }

void by_kbuild() { (void)kbuild::launch(direct, {1, 32, 0, stream}, 1, 2.0f, memory, memory); }

void by_kbuild_stub() { (void)kbuild::launch(stubbed, {1, 32, 0, stream}, 1, 2.0f, memory, memory); }

void by_runtime()
{
    int n = 1;
    float a = 2;
    const float* x = memory;
    float* y = memory;
    void* arguments[] = {&n, &a, &x, &y};
    (void)cudaLaunchKernel(reinterpret_cast<const void*>(direct), dim3(1), dim3(32), arguments, 0, stream);
}

void by_cuda_kernel()
{
    static cudaKernel_t kernel = [] {
        cudaKernel_t found;
        require(cudaGetKernel(&found, reinterpret_cast<const void*>(direct)) == cudaSuccess, "cudaGetKernel");
        return found;
    }();
    int n = 1;
    float a = 2;
    const float* x = memory;
    float* y = memory;
    void* arguments[] = {&n, &a, &x, &y};
    (void)cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(32), arguments, 0, stream);
}

void by_driver()
{
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

void push_and_pop()
{
    dim3 grid, block;
    size_t bytes;
    cudaStream_t popped;
    __cudaPushCallConfiguration(dim3(1), dim3(32), 0, stream);
    __cudaPopCallConfiguration(&grid, &block, &bytes, &popped);
}

struct Way {
    const char* name;
    void (*launch)();
    bool launches;
};

const Way ways[] = {
    {"chevrons", by_chevrons, true},       {"kbuild", by_kbuild, true},
    {"kbuild-stub", by_kbuild_stub, true}, {"cudaLaunchKernel", by_runtime, true},
    {"cudaKernel_t", by_cuda_kernel, true},
    {"cuLaunchKernelEx", by_driver, true}, {"push-pop", push_and_pop, false},
};

double time_batch(void (*launch)(), int count, bool synchronise)
{
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) {
        launch();
        if (synchronise) cudaStreamSynchronize(stream);
    }
    const auto end = Clock::now();
    cudaStreamSynchronize(stream);
    return std::chrono::duration<double, std::nano>(end - start).count() / count;
}

void prepare()
{
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "stream");
    require(cudaMalloc(reinterpret_cast<void**>(&memory), 128) == cudaSuccess, "cudaMalloc");
    cudaFunction_t found;
    require(cudaGetFuncBySymbol(&found, reinterpret_cast<const void*>(direct)) == cudaSuccess, "function");
    function = found;
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult result;
    require(cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 12000, cudaEnableDefault, &result) == cudaSuccess,
            "cuLaunchKernelEx");
    launch_by_driver = reinterpret_cast<decltype(launch_by_driver)>(entry);
}

} // namespace

int main(int, char** words)
{
    const int batches = std::atoi(words[1]);
    prepare();
    const std::size_t count = sizeof ways / sizeof *ways;
    for (const Way& way : ways) // warm-up: images are loaded at their first launch
        time_batch(way.launch, launches_per_batch, false);
    require(cudaGetLastError() == cudaSuccess, "warm-up");
    for (int batch = 0; batch < batches; ++batch)
        for (std::size_t turn = 0; turn < count; ++turn) {
            const Way& way = ways[(turn + batch) % count]; // each way follows each other one
            std::printf("%s enqueue %.2f\n", way.name, time_batch(way.launch, launches_per_batch, false));
            if (way.launches)
                std::printf("%s synchronised %.2f\n", way.name,
                            time_batch(way.launch, synchronised_per_batch, true));
        }
    require(cudaGetLastError() == cudaSuccess, "a launch");
}
