// Repeated launches, which kbuild passes directly to the driver: streams, graphs, errors, resets,
// and several devices must work as they do with cudart.
#include <cuda_runtime_api.h>
#include <kbuild/kbuild.hpp>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

extern "C" KBUILD_KERNEL void fill(int n, int value, int* out);
namespace ns {
KBUILD_KERNEL void scale(float* p, float a, int n);
}
KBUILD_KERNEL void fill_shared(int words, int* out);

namespace {

int failures = 0;

void check(bool condition, const char* what, const char* detail = "")
{
    std::printf("%s %s %s\n", condition ? "ok" : "FAILED", what, condition ? "" : detail);
    failures += !condition;
}

constexpr int count = 1000;
int* buffer = nullptr;

void allocate()
{
    check(cudaMalloc(reinterpret_cast<void**>(&buffer), count * sizeof(int)) == cudaSuccess, "cudaMalloc");
}

bool fills(int value, cudaStream_t stream = nullptr)
{
    kbuild::LaunchConfig config{(count + 255) / 256, 256};
    config.stream = stream;
    const auto error = kbuild::launch(fill, config, count, value, buffer);
    std::vector<int> host(count);
    if (error || cudaStreamSynchronize(stream) != cudaSuccess ||
        cudaMemcpy(host.data(), buffer, count * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    for (const int element : host)
        if (element != value) return false;
    return true;
}

void launch_again()
{
    for (int value = 1; value < 5; ++value) check(fills(value), "consecutive launches");
    std::thread([] { check(fills(5), "a thread that never called cudart"); }).join();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    check(fills(6, stream), "a stream");
}

void capture()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreate(&stream);
    kbuild::LaunchConfig config{(count + 255) / 256, 256};
    config.stream = stream;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "capture begins");
    const auto error = kbuild::launch(fill, config, count, 7, buffer);
    check(!error, "a captured launch", error.message());
    check(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "capture ends");
    size_t nodes = 0;
    check(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 1, "the graph has its node");
    check(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess, "instantiation");
    check(cudaGraphLaunch(executable, stream) == cudaSuccess, "graph launch");
    cudaStreamSynchronize(stream);
    int first = 0;
    cudaMemcpy(&first, buffer, sizeof first, cudaMemcpyDeviceToHost);
    check(first == 7, "the graph ran");
}

// More dynamic shared memory than the default limit. The launch that needs it can be part of a graph.
void raise_limit()
{
    constexpr int words = 20000;
    auto launch = [](size_t bytes, cudaStream_t stream = nullptr) {
        kbuild::LaunchConfig config{1, 1, bytes};
        config.stream = stream;
        return kbuild::launch(fill_shared, config, words, buffer);
    };
    check(!kbuild::launch(fill_shared, {1, 1, 1024}, 256, buffer), "shared memory");
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaStreamCreate(&stream);
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "capture begins");
    const auto captured = launch(words * sizeof(int), stream);
    check(!captured, "a captured launch raises the limit", captured.message());
    check(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "capture ends");
    for (int i = 0; i < 3; ++i) {
        const auto error = launch(words * sizeof(int));
        check(!error, "a launch raises the limit", error.message());
    }
    check(cudaGetLastError() == cudaSuccess, "and leaves no error");
    int last = 0;
    cudaMemcpy(&last, buffer, sizeof last, cudaMemcpyDeviceToHost);
    check(last == words - 1, "the kernel used all of it");
    check(static_cast<bool>(launch(1 << 30)), "more than the device has is an error");
    check(cudaGetLastError() != cudaSuccess, "and cudart's last error");
}

void report()
{
    for (int i = 0; i < 2; ++i) {
        const auto error = kbuild::launch(ns::scale, {1, 1024}, static_cast<float*>(nullptr), 1.0f, 0);
        check(static_cast<bool>(error), "more threads than the launch bounds");
        check(error.code() == cudaGetLastError(), "is cudart's error", error.message());
        const auto good = kbuild::launch(ns::scale, {1, 32}, static_cast<float*>(nullptr), 1.0f, 0);
        check(!good, "and the next one is fine", good.message());
    }
}

void reset()
{
    check(cudaDeviceReset() == cudaSuccess, "cudaDeviceReset");
    allocate();
    check(fills(8), "the first launch after a reset");
    check(fills(9), "the second");
}

// With two devices, each of them has the kernel.
void change_device()
{
    int devices = 0;
    cudaGetDeviceCount(&devices);
    for (int device = devices - 1; device >= 0; --device) {
        check(cudaSetDevice(device) == cudaSuccess, "cudaSetDevice");
        allocate();
        check(fills(20 + device) && fills(30 + device), "a launch on each device");
    }
    std::printf("devices %d\n", devices);
}

} // namespace

int main()
{
    allocate();
    launch_again();
    capture();
    raise_limit();
    report();
    reset();
    change_device();
    return failures;
}
