#include "images/machine.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kbuild::cpu {
namespace {

#if defined(__x86_64__)

// The features of the levels in the x86-64 psABI. __builtin_cpu_supports also checks that the
// operating system saves the AVX and AVX-512 registers. Some supported compilers do not know the
// names of all features, so those bits are read directly; their levels require AVX as well.
struct Cpuid {
    unsigned a = 0, b = 0, c = 0, d = 0;
    explicit Cpuid(unsigned leaf) { __get_cpuid(leaf, &a, &b, &c, &d); }
};

bool has_v2() {
    const Cpuid basic(1), extended(0x80000001);
    return (basic.c & bit_CMPXCHG16B) && (extended.c & bit_LAHF_LM) &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse3") &&
           __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
           __builtin_cpu_supports("sse4.2");
}

bool has_v3() {
    const Cpuid basic(1), extended(0x80000001);
    return has_v2() && (basic.c & bit_MOVBE) && (basic.c & bit_F16C) && (basic.c & bit_OSXSAVE) &&
           (extended.c & bit_LZCNT) && __builtin_cpu_supports("avx") &&
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

bool has_v4() {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

std::vector<std::string_view> machine_architectures() {
    std::vector<std::string_view> levels;
    if (has_v4()) levels.push_back("x86-64-v4");
    if (has_v3()) levels.push_back("x86-64-v3");
    if (has_v2()) levels.push_back("x86-64-v2");
    levels.push_back("x86-64");
    return levels;
}

#elif defined(__aarch64__)

std::vector<std::string_view> machine_architectures() { return {"aarch64"}; }

#else
#error "kbuild: the cpu backend supports only x86-64 and aarch64"
#endif

}  // namespace

std::vector<std::string_view> runnable_architectures() {
    auto architectures = machine_architectures();
    const char* requested = std::getenv("KBUILD_CPU_ARCH");
    if (requested == nullptr || *requested == '\0') return architectures;
    const auto best = std::find(architectures.begin(), architectures.end(), requested);
    if (best == architectures.end())
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      std::string("KBUILD_CPU_ARCH is '") + requested +
                          "', which this machine cannot run; the best that it can run is " +
                          std::string(architectures.front()));
    architectures.erase(architectures.begin(), best);
    return architectures;
}

}  // namespace kbuild::cpu
