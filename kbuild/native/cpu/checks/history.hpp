// The allocations of a checked program, also those that it has freed.
#ifndef KBUILD_CPU_CHECKS_HISTORY_HPP
#define KBUILD_CPU_CHECKS_HISTORY_HPP

#include <kbuild/cpu_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kbuild::cpu::checks {

struct PastAllocation {
    std::uintptr_t start;
    std::size_t bytes;
    kbuild_cpu_memory_kind kind;
    bool is_heap;  // of device code
    bool is_free;
    std::uint64_t number;  // in the order of the program, from 1
};

class History {
public:
    void add(std::uintptr_t start, std::size_t bytes, kbuild_cpu_memory_kind kind, bool is_heap);
    // Returns the allocation that starts there, if it is in use.
    std::optional<PastAllocation> remove(std::uintptr_t start);
    // Returns the allocation with this address, or the nearest one in front of it or behind it.
    const PastAllocation* find(std::uintptr_t address) const noexcept;
    // Returns what is in use.
    std::vector<PastAllocation> list_live() const;
    // Returns the number of the last allocation.
    std::uint64_t count() const noexcept { return count_; }

private:
    std::map<std::uintptr_t, PastAllocation> allocations_;
    std::uint64_t count_ = 0;
};

// Returns "1 byte", "2 bytes", and so on.
std::string count_bytes(std::size_t bytes);

// Returns what the memory is, such as "the 400-byte allocation 2 of device memory".
std::string name_allocation(const PastAllocation& allocation);

// Returns the distance to memory, such as "4 bytes past the end of NAME".
std::string compare_address(std::uintptr_t address, std::uintptr_t start, std::size_t bytes,
                            const std::string& name);

}  // namespace kbuild::cpu::checks

#endif
