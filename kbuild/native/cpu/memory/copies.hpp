// Copies and fills of rows and slices, with the checks that a GPU's runtime makes.
#ifndef KBUILD_CPU_MEMORY_COPIES_HPP
#define KBUILD_CPU_MEMORY_COPIES_HPP

#include <kbuild/cpu_runtime.h>

namespace kbuild::cpu {

// Throws Failure if the copy or fill is invalid.
void check_copy(const kbuild_cpu_area_copy& copy);
void check_fill(const kbuild_cpu_area_fill& fill);

// Copies or fills what was checked before.
void perform_copy(const kbuild_cpu_area_copy& copy) noexcept;
void perform_fill(const kbuild_cpu_area_fill& fill, unsigned element_bytes) noexcept;

// What a stream must know about the host memory of a copy.
enum class HostMemory {
    none,    // or page-locked memory, which stays where it is
    source,  // the program can change the source as soon as the call returns
    target   // the program reads the target as soon as the call returns
};
HostMemory find_pageable(const kbuild_cpu_area_copy& copy) noexcept;

// Copies the source to memory without gaps, and makes that the source.
void stage(kbuild_cpu_area_copy& copy, char* memory) noexcept;

}  // namespace kbuild::cpu

#endif
