// The memory that the program has allocated or registered: finds what contains an address.
#ifndef KBUILD_CPU_MEMORY_ALLOCATIONS_HPP
#define KBUILD_CPU_MEMORY_ALLOCATIONS_HPP

#include "fork_safe_mutex.hpp"

#include <kbuild/cpu_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace kbuild::cpu {

inline std::uintptr_t to_number(const void* address) noexcept {
    return reinterpret_cast<std::uintptr_t>(address);
}

// A flag of Allocation, beyond those of the vendor: memory that VirtualMemory maps, and that nobody else frees.
constexpr unsigned mapped_memory_flag = 1u << 30;

struct Allocation {
    void* base;  // null if no allocation contains the address
    std::size_t bytes;
    kbuild_cpu_memory_kind kind;
    unsigned flags;  // of the call that allocated or registered the memory
};

class Allocations {
public:
    static Allocations& instance();

    // Throws std::bad_alloc, and then changes nothing.
    void add(const Allocation& allocation);

    // Adds host memory that the program allocated by other means. Throws Failure if it overlaps
    // with an allocation.
    void add_registered(const Allocation& allocation);

    // Removes the allocation that starts at the address and has one of the kinds. Returns false if
    // there is none.
    bool remove(const void* base, std::initializer_list<kbuild_cpu_memory_kind> kinds) noexcept;

    // Removes an allocation of mapped memory.
    void remove_mapped(const void* base) noexcept;

    // Returns the allocation that contains the address.
    Allocation find(const void* address) const noexcept;

    // Returns the allocation that contains the address, or the nearest one.
    Allocation find_nearest(const void* address) const noexcept;

    // Returns everything.
    std::vector<Allocation> list() const;

    // Removes everything but mapped memory, and returns what the runtime has allocated.
    std::vector<void*> clear();

private:
    struct Content {
        std::size_t bytes;
        kbuild_cpu_memory_kind kind;
        unsigned flags;
    };
    using Map = std::map<std::uintptr_t, Content>;

    Map::iterator first_overlap(std::uintptr_t start) noexcept;

    mutable ForkSafeMutex mutex_{LockRank::allocations};
    Map contents_;
};

}  // namespace kbuild::cpu

#endif
