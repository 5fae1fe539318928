// Launches with the CPU backend's runtime.
#include "ways.hpp"

namespace {

kbuild_launch_config make_config(const LaunchValues& v) {
    kbuild_launch_config config = {};
    config.grid = {static_cast<unsigned>(v.grid), 1, 1};
    config.block = {static_cast<unsigned>(v.block), 1, 1};
    config.shared_bytes = v.bytes;
    config.stream = v.stream;
    return config;
}

int launch_by_hand() {
    const LaunchValues& v = *values;
    const kbuild_launch_config config = make_config(v);
    int n = v.n;
    float a = v.a;
    const float* x = v.x;
    float* y = v.y;
    void* arguments[] = {&n, &a, &x, &y};
    if (kbuild_cpu_launch(reinterpret_cast<const void*>(direct), &config, arguments) != 0) return 1;
    return 0;
}

// No compiler supports `<<<>>>` for the CPU. This is the code that it would generate.
__attribute__((noinline)) void call_stub(int n, float a, const float* x, float* y) {
    void* arguments[] = {&n, &a, &x, &y};
    kbuild_cpu_launch_from_stub(reinterpret_cast<const void*>(direct), arguments);
}

int launch_by_push_and_pop() {
    const LaunchValues& v = *values;
    const kbuild_launch_config config = make_config(v);
    if (kbuild_cpu_push_configuration(&config) == 0) call_stub(v.n, v.a, v.x, v.y);
    return 0;
}

}  // namespace

const Way runtime_ways[] = {
    {"kbuild_cpu_launch by hand", true, launch_by_hand},
    {"push, stub, pop", false, launch_by_push_and_pop},
    {nullptr, false, nullptr},
};
