// The stacks of one OS thread's fibers: one mapping, committed page by page as it is used.
#ifndef KBUILD_CPU_FIBERS_STACKS_HPP
#define KBUILD_CPU_FIBERS_STACKS_HPP

#include "fibers/fiber.hpp"

#include <cstddef>

namespace kbuild::cpu {

// KBUILD_CPU_STACK_BYTES, or 256 KiB; in whole pages.
std::size_t stack_bytes();

class Stacks {
public:
    Stacks() = default;
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // Makes room for that many stacks; the old ones must not be in use. Throws Failure.
    void reserve(std::size_t count);

    std::size_t count() const noexcept { return count_; }

    // A stack, with a guard page below it. Stacks are first used in ascending order.
    Stack use(std::size_t index) noexcept;

private:
    void release() noexcept;

    char* base_ = nullptr;
    std::size_t count_ = 0;
    std::size_t stack_size_ = 0;
    std::size_t guarded_ = 0;
};

}  // namespace kbuild::cpu

#endif
