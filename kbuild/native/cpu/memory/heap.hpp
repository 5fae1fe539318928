// Where memory of the device comes from, and what it shows of accesses outside of it.
//
// Allocations lie between pages without access, as far as Linux allows so many mappings. An allocation
// ends at an aligned address, so up to 511 bytes can separate its end from such a page. They are a red
// zone: its bytes have a known value, which is checked when the memory is released, and at the end of
// the process. Without pages, only red zones remain.
#ifndef KBUILD_CPU_MEMORY_HEAP_HPP
#define KBUILD_CPU_MEMORY_HEAP_HPP

#include <cstddef>
#include <string>

namespace kbuild::cpu {

// Returns aligned memory: from the system, or from the arena of a checked process. Throws Failure.
void* allocate_memory(std::size_t bytes);

// Ends the process with a report if somebody wrote next to the memory.
void free_memory(void* pointer) noexcept;

// Makes a part of allocated memory, from its start on, a new allocation with its own red zone.
void reuse_memory(void* pointer, std::size_t bytes) noexcept;

// Ends the process with a report if somebody wrote next to the memory.
void check_memory(const void* pointer) noexcept;

// Returns the line of the program that allocated memory, such as "main.cu:12"; empty if it is unknown.
std::string find_origin(const void* pointer);

// Tells the checks that the program must not use memory from now on.
void note_release(const void* pointer);

}  // namespace kbuild::cpu

#endif
