// Checks launches, which streams, graphs, and kernels have in common.
#ifndef KBUILD_CPU_API_KERNEL_CALLS_HPP
#define KBUILD_CPU_API_KERNEL_CALLS_HPP

#include "streams/operation.hpp"

namespace kbuild::cpu {

// What limits the dynamic shared memory of a launch.
enum class SharedLimit { device, kernel };

// Returns the launch. It keeps the kernel loaded, and copies the arguments unless it borrows them.
// Throws Failure.
KernelCall make_kernel_call(const void* handle, const kbuild_launch_config& config,
                            void* const* args, SharedLimit limit, bool borrows);

}  // namespace kbuild::cpu

#endif
