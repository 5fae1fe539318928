// Passes the address of a handle to every function of the runtime API that takes a kernel.
#include <cuda_runtime_api.h>
#include <kbuild/kbuild.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

#ifdef CXX_NAMES
KBUILD_KERNEL void fill(int n, int value, int* out);
constexpr const char* fill_name = "_Z4filliiPi";
#else
extern "C" KBUILD_KERNEL void fill(int n, int value, int* out);
constexpr const char* fill_name = "fill";
#endif
namespace ns {
KBUILD_KERNEL void scale(float* p, float a, int n);
}
#ifdef WITH_OTHER
KBUILD_KERNEL void other(int* out);
#endif

namespace {

int failures = 0;

void check(bool condition, const char* what, const char* detail = "")
{
    std::printf("%s %s %s\n", condition ? "ok" : "FAILED", what, condition ? "" : detail);
    failures += !condition;
}

void check(cudaError_t error, const char* what)
{
    check(error == cudaSuccess, what, cudaGetErrorString(error));
}

const void* handle(void (*kernel)(int, int, int*))
{
    return reinterpret_cast<const void*>(kernel);
}

int* buffer = nullptr;
constexpr int count = 1000;

bool holds(int value)
{
    std::vector<int> host(count);
    cudaMemcpy(host.data(), buffer, count * sizeof(int), cudaMemcpyDeviceToHost);
    for (const int element : host)
        if (element != value)
            return false;
    return true;
}

void launch_every_way()
{
    int n = count, value = 1;
    void* args[] = {&n, &value, &buffer};
    const dim3 grid((count + 255) / 256), block(256);
    check(cudaLaunchKernel(handle(fill), grid, block, args, 0, nullptr), "cudaLaunchKernel");
    check(holds(1), "cudaLaunchKernel ran");

    value = 2;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    check(cudaLaunchKernelExC(&config, handle(fill), args), "cudaLaunchKernelExC");
    check(holds(2), "cudaLaunchKernelExC ran");

    value = 3;
    check(cudaLaunchCooperativeKernel(handle(fill), grid, block, args, 0, nullptr),
          "cudaLaunchCooperativeKernel");
    check(holds(3), "cudaLaunchCooperativeKernel ran");
}

void query()
{
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, handle(fill)), "cudaFuncGetAttributes");
    check(cudaFuncSetAttribute(handle(fill), cudaFuncAttributeMaxDynamicSharedMemorySize, 65536),
          "cudaFuncSetAttribute");
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle(fill), 256, 0), "occupancy");
    check(blocks > 0, "occupancy is positive");
    const char* name = nullptr;
    check(cudaFuncGetName(&name, handle(fill)), "cudaFuncGetName");
    check(name != nullptr && std::strcmp(name, fill_name) == 0, "cudaFuncGetName is right");
    cudaKernel_t kernel = nullptr;
    check(cudaGetKernel(&kernel, handle(fill)), "cudaGetKernel");
    cudaFunction_t function = nullptr;
    check(cudaGetFuncBySymbol(&function, handle(fill)), "cudaGetFuncBySymbol");
}

void launch_in_a_graph()
{
    int n = count, value = 4;
    void* args[] = {&n, &value, &buffer};
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t node;
    cudaKernelNodeParams params = {};
    params.func = const_cast<void*>(handle(fill));
    params.gridDim = dim3((count + 255) / 256);
    params.blockDim = dim3(256);
    params.kernelParams = args;
    check(cudaGraphCreate(&graph, 0), "graph");
    check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params), "graph kernel node");
    check(cudaGraphInstantiate(&executable, graph, 0), "graph instantiation");
    check(cudaGraphLaunch(executable, nullptr), "graph launch");
    check(holds(4), "graph ran");
}

void launch_through_kbuild()
{
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "stream");
    kbuild::LaunchConfig config{(count + 127) / 128, 128};
    config.stream = stream;
    auto error = kbuild::launch(fill, config, count, 5, buffer);
    check(!error, "kbuild::launch", error.message());
    check(cudaStreamSynchronize(stream), "stream synchronized");
    check(holds(5), "kbuild::launch ran");

    config.cooperative = true;
    error = kbuild::launch(fill, config, count, 6, buffer);
    check(!error, "kbuild::launch cooperative", error.message());
    cudaStreamSynchronize(stream);
    check(holds(6), "cooperative ran");

    config.cooperative = false;
    config.cluster = {2, 1, 1};
    error = kbuild::launch(fill, config, count, 7, buffer);
    check(!error, "kbuild::launch cluster", error.message());
    cudaStreamSynchronize(stream);
    check(holds(7), "cluster ran");

    config.cluster = {0, 0, 0};
    config.programmatic_dependent_launch = true;
    error = kbuild::launch(fill, config, count, 8, buffer);
    check(!error, "kbuild::launch programmatic dependent", error.message());
    cudaStreamSynchronize(stream);
    check(holds(8), "programmatic dependent ran");

    config.programmatic_dependent_launch = false;
    config.priority = -1;
    error = kbuild::launch(fill, config, count, 9, buffer);
    check(!error, "kbuild::launch with a priority", error.message());
    cudaStreamSynchronize(stream);
    check(holds(9), "priority ran");

    error = kbuild::launch(ns::scale, {1, 1024}, static_cast<float*>(nullptr), 1.0f, 0);
    check(static_cast<bool>(error), "more threads than the launch bounds is an error");
    (void)cudaGetLastError();
#ifdef WITH_OTHER
    error = kbuild::launch(other, {1, count}, buffer);
    check(!error, "a kernel of a second library", error.message());
    check(!kbuild::synchronize(), "synchronized");
#endif
}

} // namespace

int main(int argc, char**)
{
    if (argc > 1) { // print the error for a missing architecture
        const auto error = kbuild::launch(fill, {1, 1}, 0, 0, static_cast<int*>(nullptr));
        std::printf("%d %s\n", error.code(), error.message());
        return error ? 0 : 1;
    }
    check(cudaMalloc(reinterpret_cast<void**>(&buffer), count * sizeof(int)), "cudaMalloc");
    launch_every_way();
    query();
    launch_in_a_graph();
    launch_through_kbuild();
    return failures;
}
