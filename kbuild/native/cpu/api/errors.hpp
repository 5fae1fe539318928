// Failures inside the runtime are exceptions; at the extern "C" border they become a code
// and a text that kbuild_cpu_error_message finds again.
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

// Makes this failure the calling thread's last one, and returns its code.
int remember_failure(kbuild_cpu_error code, const char* detail) noexcept;

// The last failure's text if it had this code, else what the code means in general.
const char* error_message(int code) noexcept;

}  // namespace kbuild::cpu

#endif
