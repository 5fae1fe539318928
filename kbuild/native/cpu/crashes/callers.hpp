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

// Returns the line of the innermost call outside of kbuild's own headers.
std::optional<SourceLine> find_line_of(const Callers& callers);

}  // namespace kbuild::cpu

#endif
