// Device memory of checked programs.
#ifndef KBUILD_CPU_CHECKS_ARENA_HPP
#define KBUILD_CPU_CHECKS_ARENA_HPP

#include "fork_safe_mutex.hpp"
#include "checks/cells.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace kbuild::cpu::checks {

// Reserves addresses, of which the system backs those that are used.
void* map_memory(std::size_t bytes);
// Gives a region cells.
void map_cells(Region& region);
// Forgets what is known about the words of a range.
void clear_cells(const Region& region, std::uintptr_t start, std::size_t bytes) noexcept;

// Makes memory read as zeros, and gives its pages back.
void clear_memory(void* start, std::size_t bytes) noexcept;

// Writes the content of fresh memory. Whole pages need memory only when the program uses them.
void fill_fresh(void* start, std::size_t bytes) noexcept;

// A range of addresses with cells. Allocations have gaps between them, and addresses are not used again,
// so that an access to freed memory does not reach another allocation.
class Arena {
public:
    Arena();  // throws Failure

    // Throws Failure.
    void* allocate(std::size_t bytes);

    bool contains(const void* address) const noexcept {
        return region_.contains(reinterpret_cast<std::uintptr_t>(address));
    }
    Region& region() noexcept { return region_; }
    const Region& region() const noexcept { return region_; }

private:
    Region region_;
    std::uintptr_t next_;
    ForkSafeMutex mutex_{LockRank::arena};
};

}  // namespace kbuild::cpu::checks

#endif
