// Which line of the program called the runtime.
#ifndef KBUILD_CPU_CRASHES_CALLERS_HPP
#define KBUILD_CPU_CRASHES_CALLERS_HPP

#include "crashes/line_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kbuild::cpu {

// Where the functions continue that the calling thread is in, from the innermost one outside of the runtime. Zeros
// follow the last one.
using Callers = std::array<std::uintptr_t, 8>;
Callers list_callers() noexcept;

// Returns a number for the place in device code that called the runtime: for the calls of all functions that the thread
// is in, up to the kernel. Of the function with this variable, it counts where the variable is, and not the call.
std::uint64_t find_device_place(const volatile char* variable) noexcept;

// Returns the line of the innermost call outside of kbuild's own headers.
std::optional<SourceLine> find_line_of(const Callers& callers);

}  // namespace kbuild::cpu

#endif
