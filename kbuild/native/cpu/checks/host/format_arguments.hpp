// The texts among the arguments of printf.
#ifndef KBUILD_CPU_CHECKS_FORMAT_ARGUMENTS_HPP
#define KBUILD_CPU_CHECKS_FORMAT_ARGUMENTS_HPP

#include <cstdarg>
#include <functional>

namespace kbuild::cpu::checks {

// Passes each argument for `%s`, or for `%n`, to `visit`. Stops at a conversion that it does not know, and ignores
// formats with numbered arguments.
void visit_text_arguments(const char* format, std::va_list arguments,
                          const std::function<void(const void* text, bool writes)>& visit);

}  // namespace kbuild::cpu::checks

#endif
