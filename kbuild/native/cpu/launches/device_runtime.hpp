// The table of the functions that device code can call, besides those that can suspend a thread.
#ifndef KBUILD_CPU_LAUNCHES_DEVICE_RUNTIME_HPP
#define KBUILD_CPU_LAUNCHES_DEVICE_RUNTIME_HPP

#include <kbuild/detail/cpu_device_runtime.h>

namespace kbuild::cpu {

extern const kbuild_cpu_device_runtime device_runtime;

}  // namespace kbuild::cpu

#endif
