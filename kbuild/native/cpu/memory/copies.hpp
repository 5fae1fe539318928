// Copies and fills of rows and slices, with the checks that a GPU's runtime makes.
#ifndef KBUILD_CPU_MEMORY_COPIES_HPP
#define KBUILD_CPU_MEMORY_COPIES_HPP

#include <kbuild/cpu_runtime.h>

namespace kbuild::cpu {

// Throws Failure.
void copy(const kbuild_cpu_area_copy& copy);
void fill(const kbuild_cpu_area_fill& fill);

}  // namespace kbuild::cpu

#endif
