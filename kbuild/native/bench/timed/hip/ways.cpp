// Launches with HIP's runtime.
#include "../ways.hpp"

#include "peer.hpp"

#include "../shared_ways.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "%s failed: %s\n", what, hipGetErrorString(hipGetLastError()));
    std::exit(1);
}

void by_runtime() {
    int n = 1;
    float a = 2;
    const float* x = memory;
    float* y = memory;
    void* arguments[] = {&n, &a, &x, &y};
    (void)hipLaunchKernel(reinterpret_cast<const void*>(direct), dim3(1), dim3(32), arguments, 0,
                          stream);
}

extern "C" hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);

void push_and_pop() {
    dim3 grid, block;
    size_t bytes;
    hipStream_t popped;
    (void)__hipPushCallConfiguration(dim3(1), dim3(32), 0, stream);
    (void)__hipPopCallConfiguration(&grid, &block, &bytes, &popped);
}

}  // namespace

const Way ways[] = {
    {"<<<>>> by clang", by_chevrons, true},
    {"<<<>>> by kbuild", by_kbuild_chevrons, true},
    {"kbuild::launch", by_kbuild, true},
    {"kbuild::launch, kernel in another file", by_kbuild_elsewhere, true},
    {"kbuild::launch, debug stub", by_kbuild_stub, true},
    {"hipLaunchKernel", by_runtime, true},
    {"push and pop alone", push_and_pop, false},
    {"a call of nothing", do_nothing, false},
    {nullptr, nullptr, false},
};

void prepare() {
    require(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) == hipSuccess, "stream");
    require(hipMalloc(reinterpret_cast<void**>(&memory), 128) == hipSuccess, "hipMalloc");
}

void prepare_way(const Way&) {}

void synchronize() { (void)hipStreamSynchronize(stream); }

void require_success(const char* what) { require(hipGetLastError() == hipSuccess, what); }

void describe_device() {
    hipDeviceProp_t device;
    int runtime = 0;
    require(hipGetDeviceProperties(&device, 0) == hipSuccess, "hipGetDeviceProperties");
    require(hipRuntimeGetVersion(&runtime) == hipSuccess, "hipRuntimeGetVersion");
    std::printf("device\t%s (%s), HIP %d\n", device.name, device.gcnArchName, runtime);
}
