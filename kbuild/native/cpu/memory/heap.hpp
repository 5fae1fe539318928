// Where memory of the device comes from.
#ifndef KBUILD_CPU_MEMORY_HEAP_HPP
#define KBUILD_CPU_MEMORY_HEAP_HPP

#include <cstddef>

namespace kbuild::cpu {

// Returns aligned memory: from the C library, or from the arena of a checked process. Throws Failure.
void* allocate_memory(std::size_t bytes);
void free_memory(void* pointer) noexcept;

// Tells the checks that the program must not use memory from now on.
void note_release(const void* pointer);

}  // namespace kbuild::cpu

#endif
