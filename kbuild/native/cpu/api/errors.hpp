// Inside the runtime, failures are exceptions. The extern "C" functions convert them to a code and
// keep the text for kbuild_cpu_error_message.
#ifndef KBUILD_CPU_API_ERRORS_HPP
#define KBUILD_CPU_API_ERRORS_HPP

#include <kbuild/cpu_runtime.h>

#include <stdexcept>
#include <string>

namespace kbuild::cpu {

class Failure : public std::runtime_error {
public:
    Failure(kbuild_cpu_error code, const std::string& detail)
        : std::runtime_error(detail), code_(code) {}

    kbuild_cpu_error code() const noexcept { return code_; }

private:
    kbuild_cpu_error code_;
};

// Records the failure as the last one of the calling thread, or of the device thread that it runs, and
// returns its code.
int remember_failure(int code, const char* detail) noexcept;

// The last errors of the device threads that an OS thread runs.
class DeviceErrors {
public:
    // That of the current device thread, or 0.
    virtual int last_error() const = 0;
    virtual void set_last_error(int code) = 0;

protected:
    ~DeviceErrors() = default;
};

// Sets who keeps the errors of the calling OS thread while it runs a kernel. Null ends that.
void keep_errors(DeviceErrors* errors) noexcept;

// Returns the text of the thread's last failure if it has this code, otherwise a generic text.
const char* error_message(int code) noexcept;

// Makes every later use of the device fail with the error, unless an earlier one does.
void break_device(int code, const char* detail) noexcept;

// Returns the error that broke the device, or 0.
int broken_device() noexcept;

// If a kernel broke the device, makes it unavailable for the rest of the process, as a reset does.
void close_broken_device() noexcept;

// Marks the calling thread while it runs a host function or callback of the program.
class HostScope {
public:
    HostScope() noexcept;
    ~HostScope();
    HostScope(const HostScope&) = delete;
    HostScope& operator=(const HostScope&) = delete;
};
bool is_in_host_function() noexcept;

// Throws Failure if a kernel broke the device, or in a host function, which cannot use the device.
void require_device();

// Throws Failure if an argument of the program is invalid.
inline void require(bool condition, const char* otherwise) {
    if (!condition) throw Failure(KBUILD_CPU_INVALID_VALUE, otherwise);
}

// Calls the function, and returns 0 or the code of its failure, which it remembers.
template <class Function>
int guarded(Function function) noexcept {
    try {
        function();
        return KBUILD_CPU_SUCCESS;
    } catch (const Failure& failure) {
        return remember_failure(failure.code(), failure.what());
    } catch (const std::exception& failure) {  // only std::bad_alloc is possible
        return remember_failure(KBUILD_CPU_OUT_OF_MEMORY, failure.what());
    }
}

// The same for functions that use the device.
template <class Function>
int guarded_use(Function function) noexcept {
    return guarded([&] {
        require_device();
        function();
    });
}

// The same for functions that wait for the device, which find out that a kernel has failed.
template <class Function>
int guarded_wait(Function function) noexcept {
    return guarded_use([&] {
        function();
        require_device();
    });
}

}  // namespace kbuild::cpu

#endif
