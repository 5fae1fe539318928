// Which line of the program has called the runtime.
#ifndef KBUILD_CPU_CRASHES_CALLERS_HPP
#define KBUILD_CPU_CRASHES_CALLERS_HPP

#include "crashes/line_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kbuild::cpu {

// Return addresses outside of the runtime, from the innermost one on; zeros behind the last one.
using Callers = std::array<std::uintptr_t, 8>;

Callers find_callers() noexcept;

// Returns the line of the innermost caller outside of kbuild's headers. Only the program or library that called
// the runtime counts: other callers are those of an interpreter.
std::optional<SourceLine> find_calling_line(const Callers& callers);

}  // namespace kbuild::cpu

#endif
