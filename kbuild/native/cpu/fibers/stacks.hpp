// The stacks for the fibers of one OS thread: one mapping, whose pages are allocated on first use.
#ifndef KBUILD_CPU_FIBERS_STACKS_HPP
#define KBUILD_CPU_FIBERS_STACKS_HPP

#include "fibers/fiber.hpp"

#include <cstddef>

namespace kbuild::cpu {

// Returns the size of a stack: KBUILD_CPU_STACK_BYTES or 256 KiB, rounded up to whole pages.
std::size_t stack_bytes();
// The same for the first stack.
std::size_t first_stack_bytes();

class Stacks {
public:
    // Twice `most_bytes` in the device header regions/sets.h, for device functions that call each other.
    static constexpr std::size_t array_bytes = std::size_t{4096} * 1024;

    Stacks() = default;
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // Provides at least `count` stacks. The current ones must not be in use. Throws Failure.
    void reserve(std::size_t count);

    std::size_t count() const noexcept { return count_; }

    // Returns a stack with a guard page below it. The first uses must be in ascending order. The first
    // stack has room for the arrays of a kernel that runs the threads of a block together, too.
    Stack use(std::size_t index) noexcept {
        if (index >= guarded_) guard(index);
        const auto stack = whole(index);
        return {stack.base + guard_bytes_,
                stack.size - guard_bytes_ - index % offsets * offset_bytes};
    }

    // Returns the stack with its guard page, which `use` leaves out.
    Stack whole(std::size_t index) const noexcept {
        return index == 0 ? Stack{base_, stack_size_ + array_bytes}
                          : Stack{base_ + array_bytes + index * distance_, stack_size_};
    }

private:
    // Stacks start at different offsets in their pages. Otherwise, the first bytes of all stacks would
    // compete for the same few lines of the processor's first-level cache.
    static constexpr std::size_t offsets = 16;
    static constexpr std::size_t offset_bytes = 128;

    void guard(std::size_t index) noexcept;
    void release() noexcept;

    char* base_ = nullptr;
    std::size_t count_ = 0;
    std::size_t stack_size_ = 0;
    std::size_t distance_ = 0;     // between two stacks
    std::size_t guard_bytes_ = 0;  // a page
    std::size_t guarded_ = 0;
};

}  // namespace kbuild::cpu

#endif
