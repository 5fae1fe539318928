// Calls of kernels like functions: `void bench(F f) { f(p); }` with a kernel for `f`.
#ifndef KBUILD_CPU_CRASHES_CALLED_KERNELS_HPP
#define KBUILD_CPU_CRASHES_CALLED_KERNELS_HPP

#include <csignal>

namespace kbuild::cpu {

// A handle is data, so a call of it is a fault. If the signal is such a fault, lets the thread report the call
// and then return to its caller, with an error of the runtime. Otherwise, returns false.
bool report_called_kernel(int number, const siginfo_t& info, void* context) noexcept;

}  // namespace kbuild::cpu

#endif
