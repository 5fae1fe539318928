// Fibers for machines without an assembly implementation. Each switch costs two system calls.
#include "fibers/fiber.hpp"

#if defined(KBUILD_CPU_FIBER_UCONTEXT)

#include <cstdint>

namespace kbuild::cpu {
namespace {

// makecontext passes only arguments of type int.
void enter(unsigned body_high, unsigned body_low, unsigned argument_high, unsigned argument_low) {
    const auto join = [](unsigned high, unsigned low) {
        return static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low);
    };
    reinterpret_cast<void (*)(void*)>(join(body_high, body_low))(
        reinterpret_cast<void*>(join(argument_high, argument_low)));
}

unsigned high(std::uint64_t word) { return static_cast<unsigned>(word >> 32); }
unsigned low(std::uint64_t word) { return static_cast<unsigned>(word); }

}  // namespace

// Stack traces end at the fiber's entry, because glibc's context does not record a caller.
const void* Fiber::start(Fiber& from, Fiber& to, const Stack& stack, const FiberStart& start,
                         const void* result) noexcept {
    to.start_on(stack.base, stack.size);
    getcontext(&to.context_);
    to.context_.uc_stack.ss_sp = stack.base;
    to.context_.uc_stack.ss_size = stack.size;
    to.context_.uc_link = nullptr;
    const auto function = reinterpret_cast<std::uintptr_t>(start.body);
    const auto data = reinterpret_cast<std::uintptr_t>(start.argument);
    makecontext(&to.context_, reinterpret_cast<void (*)()>(enter), 4, high(function), low(function),
                high(data), low(data));
    return switch_to(from, to, result);
}

void Fiber::finish(Fiber& to) noexcept {
    end_for(to);
    setcontext(&to.context_);
}

const void* Fiber::switch_to(Fiber& from, Fiber& to, const void* result) noexcept {
    from.leave_for(to);
    swapcontext(&from.context_, &to.context_);
    from.arrive();
    return result;
}

void Fiber::prefetch() const noexcept {}

}  // namespace kbuild::cpu

#endif
