// Measures launches.
//
//     timed               prints the device and the ways to launch
//     timed warm BATCHES  prints nanoseconds per launch, one line per batch and way
//     timed first NUMBER  measures the first launches in a process, with one way
#include "peer.hpp"

#include <cuda.h>
#include <kbuild/kbuild.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

extern "C" KBUILD_KERNEL void direct(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void stubbed(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void elsewhere(int n, float a, const float* x, float* y);

namespace {

using Clock = std::chrono::steady_clock;

// Fits into a stream's queue, so that no launch waits for the device.
constexpr int launches_per_batch = 200;
constexpr int synchronized_per_batch = 20;

cudaStream_t stream;
float* memory;
decltype(&cuLaunchKernelEx) launch_by_driver;
CUfunction function;

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    std::exit(1);
}

void by_chevrons() { launch_by_chevrons(1, 2.0f, memory, memory, stream); }

void by_kbuild_chevrons() { launch_by_kbuild_chevrons(1, 2.0f, memory, memory, stream); }

void by_kbuild() { (void)kbuild::launch(direct, {1, 32, 0, stream}, 1, 2.0f, memory, memory); }

void by_kbuild_stub() {
    (void)kbuild::launch(stubbed, {1, 32, 0, stream}, 1, 2.0f, memory, memory);
}

void by_kbuild_elsewhere() {
    (void)kbuild::launch(elsewhere, {1, 32, 0, stream}, 1, 2.0f, memory, memory);
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

// Measures the cost of the loop, the call, and the clock, which every figure includes.
void do_nothing() { asm volatile(""); }

struct Way {
    const char* name;
    void (*launch)();
    bool launches;
};

// All ratios are relative to the first one.
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
};

void show(const char* mode, const Way& way, double nanoseconds) {
    std::printf("sample\t%s\t%s\t%.2f\n", mode, way.name, nanoseconds);
}

double time_batch(void (*launch)(), int count, bool synchronize) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) {
        launch();
        if (synchronize) cudaStreamSynchronize(stream);
    }
    const auto end = Clock::now();
    cudaStreamSynchronize(stream);
    return std::chrono::duration<double, std::nano>(end - start).count() / count;
}

// Creates the context and the memory for launches, but does not load any kernel.
void prepare() {
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "stream");
    require(cudaMalloc(reinterpret_cast<void**>(&memory), 128) == cudaSuccess, "cudaMalloc");
}

void prepare_driver() {
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

void list() {
    cudaDeviceProp device;
    int driver = 0, runtime = 0;
    require(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "cudaGetDeviceProperties");
    require(cudaDriverGetVersion(&driver) == cudaSuccess, "cudaDriverGetVersion");
    require(cudaRuntimeGetVersion(&runtime) == cudaSuccess, "cudaRuntimeGetVersion");
    std::printf("device\t%s (sm_%d%d), the driver's CUDA %d.%d, cudart %d.%d\n", device.name,
                device.major, device.minor, driver / 1000, driver % 1000 / 10, runtime / 1000,
                runtime % 1000 / 10);
    for (const Way& way : ways) std::printf("way\t%s\n", way.name);
}

void time_warm(int batches) {
    prepare_driver();
    for (const Way& way : ways)  // warm-up: the first launch loads the image
        time_batch(way.launch, launches_per_batch, false);
    require(cudaGetLastError() == cudaSuccess, "warm-up");
    std::vector<const Way*> order;
    for (const Way& way : ways) order.push_back(&way);
    std::mt19937 random(1);  // the order differs between batches, but not between runs
    for (int batch = 0; batch < batches; ++batch) {
        std::shuffle(order.begin(), order.end(), random);
        for (const Way* way : order) {
            show("enqueue", *way, time_batch(way->launch, launches_per_batch, false));
            if (way->launches)
                show("launch and synchronize", *way,
                     time_batch(way->launch, synchronized_per_batch, true));
        }
    }
}

void time_first(std::size_t number) {
    require(number < sizeof ways / sizeof *ways, "the number of a way");
    const Way& way = ways[number];
    if (way.launch == by_driver)
        prepare_driver();  // user code has to do this before its first launch, too
    show("first, without warm-up", way, time_batch(way.launch, 1, false));
    show("the same, warm", way, time_batch(way.launch, launches_per_batch, false));
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) {
        list();
        return 0;
    }
    prepare();
    if (std::strcmp(words[1], "warm") == 0)
        time_warm(std::atoi(words[2]));
    else
        time_first(static_cast<std::size_t>(std::atoi(words[2])));
    require(cudaGetLastError() == cudaSuccess, "a launch");
}
