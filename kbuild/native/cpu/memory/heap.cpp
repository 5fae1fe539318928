#include "memory/heap.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "memory/pools.hpp"

#include <cstdlib>
#include <string>

namespace kbuild::cpu {

void* allocate_memory(std::size_t bytes) {
    if (checks::is_active()) return checks::Checker::instance().arena().allocate(bytes);
    void* pointer = nullptr;
    if (posix_memalign(&pointer, allocation_alignment, bytes) != 0)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                      "cannot allocate " + std::to_string(bytes) + " bytes");
    return pointer;
}

// The addresses of the arena are not used again.
void free_memory(void* pointer) noexcept {
    if (!checks::is_active() || !checks::Checker::instance().arena().contains(pointer))
        std::free(pointer);
}

void note_release(const void* pointer) {
    if (checks::is_active()) checks::Checker::instance().remove_memory(pointer);
}

}  // namespace kbuild::cpu
