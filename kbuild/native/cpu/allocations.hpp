// The device memory that programs hold: whoever looks at a pointer learns how far it reaches.
#ifndef KBUILD_CPU_ALLOCATIONS_HPP
#define KBUILD_CPU_ALLOCATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace kbuild::cpu {

struct Allocation {
    void* base;  // null where there is none
    std::size_t bytes;
};

class Allocations {
public:
    static Allocations& instance();

    // Throws std::bad_alloc, and then knows no more than before.
    void add(void* base, std::size_t bytes);

    // What was not allocated here is none of ours.
    void remove(const void* base) noexcept;

    // The allocation that holds the address.
    Allocation find(const void* address) const noexcept;

private:
    mutable std::mutex mutex_;
    std::map<std::uintptr_t, std::size_t> sizes_;
};

}  // namespace kbuild::cpu

#endif
