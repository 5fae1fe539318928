// Launches through the vendor's API.
#include "launches.hpp"

#include <cuda_runtime.h>

#include <thread>

extern "C" void reverse(const int*, int*);
extern "C" void nothing();
extern "C" void fail(int*, int);
void* reverse_handle __asm__("reverse") = nullptr;
void* nothing_handle __asm__("nothing") = nullptr;
void* fail_handle __asm__("fail") = nullptr;

namespace {

constexpr int limit = 48 << 10;

// A registered module, whose handles are the functions that launches name.
class Kernels {
public:
    Kernels() : module_(test_image()) {
        module_.share("reverse", reinterpret_cast<const void*>(reverse));
        module_.share("nothing", reinterpret_cast<const void*>(nothing));
        module_.share("fail", reinterpret_cast<const void*>(fail));
        REQUIRE_SUCCESS(kbuild_cpu_register(descriptor_ = module_.descriptor()));
    }
    ~Kernels() { kbuild_cpu_unregister(descriptor_); }
    Kernels(const Kernels&) = delete;
    Kernels& operator=(const Kernels&) = delete;

private:
    TestModule module_;
    const kbuild_module* descriptor_;
};

// Launches `reverse` in every way that the API has, and checks the result.
template <class Launch>
void check_reverse(Launch launch) {
    int in[64] = {}, out[64] = {};
    for (int i = 0; i < 64; ++i) in[i] = i;
    REQUIRE(launch(in, out) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 64; ++i) REQUIRE(out[i] == 63 - i);
}

TEST_CASE_FIXTURE(Kernels, "every call that launches a kernel works") {
    check_reverse([](const int* in, int* out) {
        void* args[] = {&in, &out};
        return cudaLaunchKernel((const void*)reverse, dim3(1), dim3(64), args, 256, nullptr);
    });
    check_reverse([](const int* in, int* out) {
        void* args[] = {&in, &out};
        return cudaLaunchKernel(reverse, 1, 64, args, 256);
    });
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[1].id = cudaLaunchAttributeCooperative;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.dynamicSmemBytes = 256;
    config.attrs = attributes;
    config.numAttrs = 2;
    check_reverse([&](int* in, int* out) { return cudaLaunchKernelEx(&config, reverse, in, out); });

    attributes[1].val.cooperative = 1;
    REQUIRE(cudaLaunchKernelEx(&config, nothing) == cudaSuccess);
    REQUIRE(cudaLaunchCooperativeKernel(nothing, 2, 1, nullptr) == cudaSuccess);
    REQUIRE(cudaLaunchCooperativeKernel(nothing, 1 << 20, 1, nullptr) ==
            cudaErrorCooperativeLaunchTooLarge);
    REQUIRE(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {2, 1, 1};
    REQUIRE(cudaLaunchKernelEx(&config, nothing) == cudaErrorInvalidClusterSize);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidClusterSize);
    REQUIRE(cudaLaunchKernel(nothing, 1, 1025, nullptr) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchKernel(nothing, 1, 1, nullptr, 0, cudaStream_t(0x12340)) ==
            cudaErrorInvalidResourceHandle);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

// A kernel, a copy, and a host function in a graph that a capture makes.
TEST_CASE_FIXTURE(Kernels, "a captured graph launches a kernel, a copy, and a host function") {
    int *in = nullptr, *out = nullptr, *back = nullptr, calls = 0;
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaMallocHost(&in, 64 * sizeof(int)) == cudaSuccess);
    REQUIRE(cudaMalloc(&out, 64 * sizeof(int)) == cudaSuccess);
    REQUIRE(cudaMallocHost(&back, 64 * sizeof(int)) == cudaSuccess);
    for (int i = 0; i < 64; ++i) in[i] = i;
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    {
        const int* source = in;
        int* result = out;
        void* args[] = {&source, &result};
        REQUIRE(cudaLaunchKernel(reverse, 1, 64, args, 256, stream) == cudaSuccess);
        source = nullptr;  // the graph has a copy
    }
    REQUIRE(cudaMemcpyAsync(back, out, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream) ==
            cudaSuccess);
    REQUIRE(cudaLaunchHostFunc(
                stream, [](void* data) { ++*static_cast<int*>(data); }, &calls) == cudaSuccess);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph) == cudaSuccess);
    REQUIRE(calls == 0);
    REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
    for (int round = 0; round < 3; ++round) {
        std::memset(back, 0, 64 * sizeof(int));
        REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
        REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
        REQUIRE(calls == round + 1);
        for (int i = 0; i < 64; ++i) REQUIRE(back[i] == 63 - i);
    }
    REQUIRE(cudaGraphExecDestroy(executable) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(executable, stream) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaFree(out) == cudaSuccess);
    REQUIRE(cudaFreeHost(in) == cudaSuccess);
    REQUIRE(cudaFreeHost(back) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

// Host functions cannot use the device, and run while the program continues.
TEST_CASE_FIXTURE(Kernels, "host functions cannot use the device") {
    static int error = 0;
    static bool is_open = false;
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    const auto function = [](void*) {
        while (!__atomic_load_n(&is_open, __ATOMIC_ACQUIRE)) {
        }
        void* pointer = nullptr;
        error = cudaMalloc(&pointer, 16);
    };
    REQUIRE(cudaLaunchHostFunc(stream, function, nullptr) == cudaSuccess);
    REQUIRE(cudaStreamQuery(stream) == cudaErrorNotReady);
    REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
    __atomic_store_n(&is_open, true, __ATOMIC_RELEASE);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    REQUIRE(error == cudaErrorNotPermitted);
    REQUIRE(cudaStreamQuery(stream) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
    (void)cudaGetLastError();
}

TEST_CASE_FIXTURE(Kernels, "a kernel has a limit of dynamic shared memory") {
    int in[1] = {}, out[1] = {};
    const int* source = in;
    int* result = out;
    void* args[] = {&source, &result};
    const auto launch_with = [&](int bytes) {
        return cudaLaunchKernel(reverse, 1, 1, args, bytes);
    };
    cudaFuncAttributes attributes;
    REQUIRE(cudaFuncGetAttributes(&attributes, reverse) == cudaSuccess);
    REQUIRE(attributes.maxDynamicSharedSizeBytes == limit);
    REQUIRE(attributes.maxThreadsPerBlock == 1024);
    REQUIRE(launch_with(limit) == cudaSuccess);
    REQUIRE(launch_with(limit + 1) == cudaErrorInvalidValue);
    REQUIRE(std::strstr(kbuild_cpu_error_message(1), "cudaFuncSetAttribute") != nullptr);

    const auto set_limit = [&](int bytes) {
        return cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
    REQUIRE(set_limit(100000) == cudaSuccess);
    REQUIRE(launch_with(100000) == cudaSuccess);
    REQUIRE(launch_with(100001) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchKernel(nothing, 1, 1, nullptr, limit + 1) == cudaErrorInvalidValue);
    REQUIRE(set_limit(-1) == cudaErrorInvalidValue);
    REQUIRE(set_limit(1 << 20) == cudaErrorInvalidValue);
    REQUIRE(cudaFuncGetAttributes(&attributes, reverse) == cudaSuccess);
    REQUIRE(attributes.maxDynamicSharedSizeBytes == 100000);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(launch_with(limit + 1) == cudaErrorInvalidValue);
    // The limit belongs to the vendor's API: kbuild's own launches raise it.
    kbuild_launch_config config = make_config({1, 1, 1}, {1, 1, 1}, limit + 1);
    REQUIRE_SUCCESS(kbuild_cpu_launch(reinterpret_cast<const void*>(reverse), &config, args));
}

TEST_CASE_FIXTURE(Kernels, "occupancy depends on threads and shared memory") {
    cudaDeviceProp device;
    int blocks = -1, threads = -1, grid = -1;
    REQUIRE(cudaGetDeviceProperties(&device, 0) == cudaSuccess);
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 32, 0) == cudaSuccess);
    REQUIRE(blocks == device.maxBlocksPerMultiProcessor);
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 32, limit + 1) ==
            cudaSuccess);
    REQUIRE(blocks == 0);
    REQUIRE(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, reverse) == cudaSuccess);
    const int resident = device.maxThreadsPerMultiProcessor / 1024;
    REQUIRE(grid == resident * device.multiProcessorCount);
    REQUIRE(threads == 1024);
    REQUIRE(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, reverse, 0, 100) == cudaSuccess);
    REQUIRE(threads == 100);
    // Each thread needs 512 bytes, so that the limit allows 96.
    const auto bytes = [](int size) { return size * 512; };
    REQUIRE(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &threads, reverse, bytes) ==
            cudaSuccess);
    REQUIRE(threads == 96);
}

TEST_CASE_FIXTURE(Kernels, "errors belong to threads") {
    REQUIRE(cudaSetDevice(7) == cudaErrorInvalidDevice);
    std::thread([] {
        REQUIRE(cudaPeekAtLastError() == cudaSuccess);
        REQUIRE(cudaFree(&reverse_handle) == cudaErrorInvalidValue);
    }).join();
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidDevice);
    REQUIRE(cudaGetLastError() == cudaSuccess);
}

// A failed kernel leaves an error in this thread and in others. After a reset, the device is
// unavailable.
void break_device(int is_assertion, cudaError_t error) {
    void* pointer = nullptr;
    int* started = nullptr;
    const int* constant = nullptr;
    REQUIRE(cudaMalloc(&constant, sizeof *constant) == cudaSuccess);
    REQUIRE(cudaMallocManaged(&started, sizeof *started) == cudaSuccess);
    *started = 0;
    void* args[] = {&started, &is_assertion};
    REQUIRE(cudaLaunchKernel(fail, 3, 64, args) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == error);
    REQUIRE(*started >= 64);
    REQUIRE(*started < 2 * 3 * 64);
    REQUIRE(cudaGetLastError() == error);
    REQUIRE(cudaGetLastError() == error);
    REQUIRE(cudaDeviceSynchronize() == error);
    REQUIRE(cudaMalloc(&pointer, 16) == error);
    REQUIRE(cudaLaunchKernel(nothing, 1, 1, nullptr) == error);
    REQUIRE(cudaFree(started) == error);
    REQUIRE(cudaStreamSynchronize(nullptr) == error);
    std::thread([error] { REQUIRE(cudaPeekAtLastError() == error); }).join();
    REQUIRE(cudaGetLastError() == error);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaMalloc(&pointer, 16) == cudaErrorDevicesUnavailable);
    REQUIRE(cudaGetLastError() == cudaErrorDevicesUnavailable);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaLaunchKernel(nothing, 1, 1, nullptr) == cudaErrorDevicesUnavailable);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(cudaGetDeviceCount(&is_assertion) == cudaSuccess);
}

TEST_CASE_FIXTURE(Kernels, "a failed kernel breaks the device") {
    require_in_child([] { break_device(1, cudaErrorAssert); });
    require_in_child([] { break_device(0, cudaErrorLaunchFailure); });
}

}  // namespace
