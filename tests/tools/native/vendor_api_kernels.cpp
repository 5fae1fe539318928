// Launches the kernels in kernels.cu through the vendor's API.
#include "test_module.hpp"

#include <cuda_runtime.h>

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" void reverse(const int*, int*);
extern "C" void nothing();
extern "C" void fail(int*, int);
void* reverse_handle __asm__("reverse") = nullptr;
void* nothing_handle __asm__("nothing") = nullptr;
void* fail_handle __asm__("fail") = nullptr;

namespace {

constexpr int limit = 48 << 10;

// Launches `reverse` in every way that the API has, and checks the result.
template <class Launch>
void check_reverse(Launch launch) {
    int in[64] = {}, out[64] = {};
    for (int i = 0; i < 64; ++i) in[i] = i;
    CHECK(launch(in, out) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 64; ++i) CHECK(out[i] == 63 - i);
}

void launches() {
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
    CHECK(cudaLaunchKernelEx(&config, nothing) == cudaSuccess);
    CHECK(cudaLaunchCooperativeKernel(nothing, 2, 1, nullptr) == cudaSuccess);
    CHECK(cudaLaunchCooperativeKernel(nothing, 1 << 20, 1, nullptr) ==
          cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {2, 1, 1};
    CHECK(cudaLaunchKernelEx(&config, nothing) == cudaErrorNotSupported);
    CHECK(cudaGetLastError() == cudaErrorNotSupported);
    CHECK(cudaLaunchKernel(nothing, 1, 1025, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaLaunchKernel(nothing, 1, 1, nullptr, 0, cudaStream_t(0x12340)) ==
          cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

// A kernel, a copy, and a host function in a graph that a capture makes.
void graphs() {
    int *in = nullptr, *out = nullptr, *back = nullptr, calls = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaMallocHost(&in, 64 * sizeof(int)) == cudaSuccess);
    CHECK(cudaMalloc(&out, 64 * sizeof(int)) == cudaSuccess);
    CHECK(cudaMallocHost(&back, 64 * sizeof(int)) == cudaSuccess);
    for (int i = 0; i < 64; ++i) in[i] = i;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    {
        const int* source = in;
        int* result = out;
        void* args[] = {&source, &result};
        CHECK(cudaLaunchKernel(reverse, 1, 64, args, 256, stream) == cudaSuccess);
        source = nullptr;  // the graph has a copy
    }
    CHECK(cudaMemcpyAsync(back, out, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream) ==
          cudaSuccess);
    CHECK(cudaLaunchHostFunc(stream, [](void* data) { ++*static_cast<int*>(data); }, &calls) ==
          cudaSuccess);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaGraphInstantiate(&executable, graph) == cudaSuccess && calls == 0);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    for (int round = 0; round < 3; ++round) {
        std::memset(back, 0, 64 * sizeof(int));
        CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess && calls == round + 1);
        for (int i = 0; i < 64; ++i) CHECK(back[i] == 63 - i);
    }
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaGraphLaunch(executable, stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CHECK(cudaFree(out) == cudaSuccess && cudaFreeHost(in) == cudaSuccess);
    CHECK(cudaFreeHost(back) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
}

// Host functions cannot use the device, and run while the program continues.
void host_functions() {
    static int error = 0;
    static bool is_open = false;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    const auto function = [](void*) {
        while (!__atomic_load_n(&is_open, __ATOMIC_ACQUIRE)) {
        }
        void* pointer = nullptr;
        error = cudaMalloc(&pointer, 16);
    };
    CHECK(cudaLaunchHostFunc(stream, function, nullptr) == cudaSuccess);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
    __atomic_store_n(&is_open, true, __ATOMIC_RELEASE);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess && error == cudaErrorNotPermitted);
    CHECK(cudaStreamQuery(stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    (void)cudaGetLastError();
}

void shared_memory_limit() {
    int in[1] = {}, out[1] = {};
    const int *source = in;
    int* result = out;
    void* args[] = {&source, &result};
    const auto launch_with = [&](int bytes) { return cudaLaunchKernel(reverse, 1, 1, args, bytes); };
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, reverse) == cudaSuccess);
    CHECK(attributes.maxDynamicSharedSizeBytes == limit && attributes.maxThreadsPerBlock == 1024);
    CHECK(launch_with(limit) == cudaSuccess && launch_with(limit + 1) == cudaErrorInvalidValue);
    CHECK(std::strstr(kbuild_cpu_error_message(1), "cudaFuncSetAttribute") != nullptr);

    const auto set_limit = [&](int bytes) {
        return cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
    CHECK(set_limit(100000) == cudaSuccess);
    CHECK(launch_with(100000) == cudaSuccess && launch_with(100001) == cudaErrorInvalidValue);
    CHECK(cudaLaunchKernel(nothing, 1, 1, nullptr, limit + 1) == cudaErrorInvalidValue);
    CHECK(set_limit(-1) == cudaErrorInvalidValue && set_limit(1 << 20) == cudaErrorInvalidValue);
    CHECK(cudaFuncGetAttributes(&attributes, reverse) == cudaSuccess);
    CHECK(attributes.maxDynamicSharedSizeBytes == 100000);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(launch_with(limit + 1) == cudaErrorInvalidValue);
    // The limit belongs to the vendor's API: kbuild's own launches raise it.
    kbuild_launch_config config = make_config({1, 1, 1}, {1, 1, 1}, limit + 1);
    SUCCEED(kbuild_cpu_launch(reinterpret_cast<const void*>(reverse), &config, args));
}

void occupancy() {
    cudaDeviceProp device;
    int blocks = -1, threads = -1, grid = -1;
    CHECK(cudaGetDeviceProperties(&device, 0) == cudaSuccess);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 32, 0) == cudaSuccess);
    CHECK(blocks == device.maxBlocksPerMultiProcessor);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 32, limit + 1) ==
          cudaSuccess);
    CHECK(blocks == 0);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, reverse) == cudaSuccess);
    const int resident = device.maxThreadsPerMultiProcessor / 1024;
    CHECK(grid == resident * device.multiProcessorCount && threads == 1024);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, reverse, 0, 100) == cudaSuccess);
    CHECK(threads == 100);
    // Each thread needs 512 bytes, so that the limit allows 96.
    const auto bytes = [](int size) { return size * 512; };
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &threads, reverse, bytes) ==
          cudaSuccess);
    CHECK(threads == 96);
}

void errors_belong_to_threads() {
    CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
    std::thread([] {
        CHECK(cudaPeekAtLastError() == cudaSuccess);
        CHECK(cudaFree(&reverse_handle) == cudaErrorInvalidValue);
    }).join();
    CHECK(cudaSetDevice(0) == cudaSuccess && cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
}

// A failed kernel leaves an error in this thread and in others. After a reset, the device is
// unavailable.
void break_device(int is_assertion, cudaError_t error) {
    void* pointer = nullptr;
    int* started = nullptr;
    const int* constant = nullptr;
    CHECK(cudaMalloc(&constant, sizeof *constant) == cudaSuccess);
    CHECK(cudaMallocManaged(&started, sizeof *started) == cudaSuccess);
    *started = 0;
    void* args[] = {&started, &is_assertion};
    CHECK(cudaLaunchKernel(fail, 3, 64, args) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == error);
    CHECK(*started >= 64 && *started < 2 * 3 * 64);
    CHECK(cudaGetLastError() == error && cudaGetLastError() == error);
    CHECK(cudaDeviceSynchronize() == error && cudaMalloc(&pointer, 16) == error);
    CHECK(cudaLaunchKernel(nothing, 1, 1, nullptr) == error && cudaFree(started) == error);
    CHECK(cudaStreamSynchronize(nullptr) == error);
    std::thread([error] { CHECK(cudaPeekAtLastError() == error); }).join();
    CHECK(cudaGetLastError() == error && cudaDeviceReset() == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&pointer, 16) == cudaErrorDevicesUnavailable);
    CHECK(cudaGetLastError() == cudaErrorDevicesUnavailable && cudaGetLastError() == cudaSuccess);
    CHECK(cudaLaunchKernel(nothing, 1, 1, nullptr) == cudaErrorDevicesUnavailable);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaGetDeviceCount(&is_assertion) == cudaSuccess);
}

// Runs the function in a process whose device still works.
template <class Function>
void in_child(Function function) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        function();
        std::_Exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void failures_in_kernels() {
    in_child([] { break_device(1, cudaErrorAssert); });
    in_child([] { break_device(0, cudaErrorLaunchFailure); });
}

}  // namespace

int main(int argc, char** argv) {
    CHECK(argc == 2);
    TestModule module(read_file(argv[1]));
    module.share("reverse", reinterpret_cast<const void*>(reverse));
    module.share("nothing", reinterpret_cast<const void*>(nothing));
    module.share("fail", reinterpret_cast<const void*>(fail));
    SUCCEED(kbuild_cpu_register(module.descriptor()));
    launches();
    graphs();
    host_functions();
    shared_memory_limit();
    occupancy();
    errors_belong_to_threads();
    failures_in_kernels();
    return 0;
}
