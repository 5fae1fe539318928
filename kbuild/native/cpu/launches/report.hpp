// Reports of launches that cannot continue.
#ifndef KBUILD_CPU_LAUNCHES_REPORT_HPP
#define KBUILD_CPU_LAUNCHES_REPORT_HPP

#include "launches/block.hpp"
#include "launches/launch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kbuild::cpu {

// Returns the text of a call: its name, mask, and line.
std::string describe(const kbuild_cpu_call& call, std::uint64_t mask);

// Returns the demangled name of a kernel.
std::string demangle_kernel(const char* symbol);
std::string kernel_name(const Launch& launch);

// Says that the launch has spun for longer than the limit. The text is never freed.
const char* describe_timeout();

std::string to_string(const kbuild_dim3& index);

// Describes what the threads of the blocks wait for, one line per call.
std::string describe_waits(const Launch& launch, const char* problem,
                           const std::vector<Block*>& blocks, const Tasks& tasks);

}  // namespace kbuild::cpu

#endif
