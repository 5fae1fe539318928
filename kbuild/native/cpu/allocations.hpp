// The device memory that the program has allocated: finds the allocation that contains a pointer.
#ifndef KBUILD_CPU_ALLOCATIONS_HPP
#define KBUILD_CPU_ALLOCATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace kbuild::cpu {

struct Allocation {
    void* base;  // null if no allocation contains the address
    std::size_t bytes;
};

class Allocations {
public:
    static Allocations& instance();

    // Throws std::bad_alloc, and then changes nothing.
    void add(void* base, std::size_t bytes);

    // Ignores addresses that were not added.
    void remove(const void* base) noexcept;

    // Returns the allocation that contains the address.
    Allocation find(const void* address) const noexcept;

private:
    mutable std::mutex mutex_;
    std::map<std::uintptr_t, std::size_t> sizes_;
};

}  // namespace kbuild::cpu

#endif
