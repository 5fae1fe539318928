#include "crashes/called_kernels.hpp"

#include "api/errors.hpp"
#include "crashes/machine_context.hpp"
#include "launches/runner.hpp"
#include "registry.hpp"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <string>

namespace kbuild::cpu {
namespace {

// Runs in the place of the kernel, not in a signal handler.
void report_call(const void* handle) {
    const std::string symbol = Registry::instance().name_kernel(handle);
    char* const demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
    const char* const name = demangled != nullptr ? demangled : symbol.c_str();
    std::fprintf(stderr,
                 "kbuild: the kernel %s was called like a function; launch it: "
                 "kernel<<<grid, block>>>(arguments), or kbuild::launch\n",
                 name);
    std::free(demangled);
    remember_failure(KBUILD_CPU_MISSING_CONFIGURATION,
                     "a kernel was called like a function; launch it");
}

}  // namespace

// The thread is at the start of a call of the program's, so it holds no lock that this needs.
bool report_called_kernel(int number, const siginfo_t& info, void* context) noexcept {
    MachineContext registers(context);
    const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    if (number != SIGSEGV || info.si_code != SEGV_ACCERR || BlockRunner::interrupted() != nullptr ||
        address != registers.program_counter() ||
        Registry::instance().name_kernel(info.si_addr).empty())
        return false;
    registers.call_instead(report_call);
    return true;
}

}  // namespace kbuild::cpu
