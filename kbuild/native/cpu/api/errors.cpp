#include "api/exported.hpp"

#include "api/errors.hpp"

#include "fork_safe_mutex.hpp"
#include "checks/checker.hpp"
#include "devices/contexts.hpp"

#include "../../device/cpu/kbuild_cpu/host/error_list.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>

namespace kbuild::cpu {
namespace {

struct LastFailure {
    int code;
    char detail[1024];
    int untaken;  // the code that the program has not taken yet, or 0
};

// A plain buffer, because a type with a destructor would be destroyed before the last atexit
// handler.
thread_local LastFailure last_failure = {KBUILD_CPU_SUCCESS, "", KBUILD_CPU_SUCCESS};

// The error of the kernel that broke the device, KBUILD_CPU_DEVICE_UNAVAILABLE if the device was
// reset after that, or 0. Only the end of the process repairs it.
std::atomic<int> device_error{KBUILD_CPU_SUCCESS};
char device_detail[1024];
ForkSafeMutex device_mutex{LockRank::device_error};  // guards changes

thread_local bool is_calling_host = false;

// Null unless the thread runs a kernel.
thread_local DeviceErrors* device_errors = nullptr;

struct ErrorRow {
    int code;
    const char* name;
    const char* text;
};

constexpr ErrorRow error_rows[] = {
#define KBUILD_CPU_ERROR_ROW(name, number, text) {number, "cuda" #name, text},
    KBUILD_CPU_ERRORS(KBUILD_CPU_ERROR_ROW)
#undef KBUILD_CPU_ERROR_ROW
};
constexpr ErrorRow unknown_row = {-1, "unrecognized error code", "unrecognized error code"};

const ErrorRow& find_error(int code) noexcept {
    for (const auto& row : error_rows)
        if (row.code == code) return row;
    return unknown_row;
}

// A program that ignores the error goes on as if the function had done its work.
void report_bad_handle(int code, const char* detail) noexcept {
    auto* const checker = checks::Checker::find();
    if (checker == nullptr ||
        (code != KBUILD_CPU_INVALID_HANDLE && code != KBUILD_CPU_INVALID_DEVICE))
        return;
    try {
        checker->report_invalid_handle(detail);
    } catch (const std::bad_alloc&) {
        std::fputs("kbuild: no memory for a finding\n", stderr);
    }
}

}  // namespace

int remember_failure(int code, const char* detail) noexcept {
    if (device_errors != nullptr) {
        device_errors->set_last_error(code);
        return code;
    }
    last_failure.code = last_failure.untaken = code;
    report_bad_handle(code, detail);
    std::snprintf(last_failure.detail, sizeof last_failure.detail, "%s", detail);
    return code;
}

void keep_errors(DeviceErrors* errors) noexcept { device_errors = errors; }

void break_device(int code, const char* detail) noexcept {
    const std::lock_guard lock(device_mutex);
    if (device_error != KBUILD_CPU_SUCCESS) return;
    std::snprintf(device_detail, sizeof device_detail, "%s", detail);
    device_error = code;
}

int broken_device() noexcept { return device_error; }

HostScope::HostScope() noexcept { is_calling_host = true; }
HostScope::~HostScope() { is_calling_host = false; }
bool is_in_host_function() noexcept { return is_calling_host; }

void close_broken_device() noexcept {
    const std::lock_guard lock(device_mutex);
    if (device_error != KBUILD_CPU_SUCCESS) device_error = KBUILD_CPU_DEVICE_UNAVAILABLE;
}

void require_device() {
    if (is_in_host_function())
        throw Failure(KBUILD_CPU_NOT_PERMITTED,
                      "host functions and callbacks of streams cannot use the device");
    use_primary_context();
    const int code = device_error;
    if (code == KBUILD_CPU_DEVICE_UNAVAILABLE)
        throw Failure(KBUILD_CPU_DEVICE_UNAVAILABLE,
                      "the device was reset after a kernel failed, and is unavailable until the "
                      "process ends");
    if (code != KBUILD_CPU_SUCCESS)
        throw Failure(static_cast<kbuild_cpu_error>(code), device_detail);
}

const char* error_message(int code) noexcept {
    if (code != KBUILD_CPU_SUCCESS && code == last_failure.code) return last_failure.detail;
    return find_error(code).text;
}

}  // namespace kbuild::cpu

using namespace kbuild::cpu;

int kbuild_cpu_fail(int code, const char* detail) { return remember_failure(code, detail); }

int kbuild_cpu_peek_error() {
    if (device_errors != nullptr) return device_errors->last_error();
    const int code = device_error;
    const bool is_sticky = code != KBUILD_CPU_SUCCESS && code != KBUILD_CPU_DEVICE_UNAVAILABLE;
    return is_sticky ? code : last_failure.untaken;
}

int kbuild_cpu_take_error() {
    const int code = kbuild_cpu_peek_error();
    if (device_errors != nullptr) {
        device_errors->set_last_error(KBUILD_CPU_SUCCESS);
        return code;
    }
    last_failure.untaken = KBUILD_CPU_SUCCESS;
    return code;
}

const char* kbuild_cpu_error_name(int code) { return find_error(code).name; }

const char* kbuild_cpu_error_text(int code) { return find_error(code).text; }

const char* kbuild_cpu_error_message(int code) { return error_message(code); }
