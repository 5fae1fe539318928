#include "api/errors.hpp"

#include <cstdio>

namespace kbuild::cpu {
namespace {

struct LastFailure {
    int code;
    char detail[1024];
};

// A plain buffer, because a type with a destructor would be destroyed before the last atexit
// handler.
thread_local LastFailure last_failure = {KBUILD_CPU_SUCCESS, ""};

const char* generic_message(int code) noexcept {
    switch (code) {
    case KBUILD_CPU_SUCCESS: return "no error";
    case KBUILD_CPU_INVALID_VALUE: return "invalid argument";
    case KBUILD_CPU_OUT_OF_MEMORY: return "out of memory";
    case KBUILD_CPU_INVALID_CONFIGURATION: return "invalid launch configuration";
    case KBUILD_CPU_INVALID_SYMBOL: return "invalid device variable";
    case KBUILD_CPU_INVALID_KERNEL: return "kernel is not registered";
    case KBUILD_CPU_INVALID_IMAGE: return "invalid device image";
    case KBUILD_CPU_NO_IMAGE_FOR_MACHINE: return "no device image for this machine";
    case KBUILD_CPU_KERNEL_NOT_FOUND: return "kernel not found in its device image";
    case KBUILD_CPU_NOT_SUPPORTED: return "not supported by the cpu backend";
    default: return "unknown error code";
    }
}

}  // namespace

int remember_failure(kbuild_cpu_error code, const char* detail) noexcept {
    last_failure.code = code;
    std::snprintf(last_failure.detail, sizeof last_failure.detail, "%s", detail);
    return code;
}

const char* error_message(int code) noexcept {
    if (code != KBUILD_CPU_SUCCESS && code == last_failure.code) return last_failure.detail;
    return generic_message(code);
}

}  // namespace kbuild::cpu
