// Launches with HIP's runtime.
#include "ways.hpp"

#include <hip/hip_runtime_api.h>

extern "C" hipError_t __hipPopCallConfiguration(dim3*, dim3*, std::size_t*, hipStream_t*);

namespace {

int launch_by_runtime() {
    const LaunchValues& v = *values;
    int n = v.n;
    float a = v.a;
    const float* x = v.x;
    float* y = v.y;
    void* arguments[] = {&n, &a, &x, &y};
    if (hipLaunchKernel(reinterpret_cast<const void*>(direct), dim3(v.grid), dim3(v.block),
                        arguments, v.bytes, static_cast<hipStream_t>(v.stream)) != hipSuccess)
        return 1;
    return 0;
}

// The stub that clang generates.
__attribute__((noinline)) void call_stub(int n, float a, const float* x, float* y) {
    void* arguments[] = {&n, &a, &x, &y};
    dim3 grid, block;
    std::size_t bytes;
    hipStream_t stream;
    (void)__hipPopCallConfiguration(&grid, &block, &bytes, &stream);
    (void)hipLaunchKernel(reinterpret_cast<const void*>(direct), grid, block, arguments, bytes,
                          stream);
}

int launch_by_push_and_pop() {
    const LaunchValues& v = *values;
    if (__hipPushCallConfiguration(dim3(v.grid), dim3(v.block), v.bytes,
                                   static_cast<hipStream_t>(v.stream)) == hipSuccess)
        call_stub(v.n, v.a, v.x, v.y);
    return 0;
}

}  // namespace

const Way runtime_ways[] = {
    {"hipLaunchKernel by hand", true, launch_by_runtime},
    {"<<<>>>: push, stub, pop", false, launch_by_push_and_pop},
    {nullptr, false, nullptr},
};
