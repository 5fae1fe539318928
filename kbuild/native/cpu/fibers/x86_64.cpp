// Fibers on x86-64: creates, for a new fiber, the stack contents that switch_x86_64.S restores.
#include "fibers/fiber.hpp"

#if !defined(KBUILD_CPU_FIBER_UCONTEXT)

#include <cstdint>
#include <new>

extern "C" void kbuild_cpu_fiber_entry();

namespace kbuild::cpu {
namespace {

// The layout from the stack pointer upwards, in the order in which kbuild_cpu_fiber_switch pops it.
struct SavedRegisters {
    std::uint64_t r15, r14, r13, r12, rbx, rbp;
    void (*return_address)();
};
static_assert(sizeof(SavedRegisters) == 56);

}  // namespace

void Fiber::prepare(Stack stack, void (*body)(void*), void* argument, const Fiber& caller) {
    start_on(stack.base, stack.size);
    const auto top =
        reinterpret_cast<std::uintptr_t>(stack.base + stack.size) & ~std::uintptr_t{15};
    auto* saved = new (reinterpret_cast<void*>(top - sizeof(SavedRegisters))) SavedRegisters{};
    saved->rbx = reinterpret_cast<std::uintptr_t>(body);
    saved->r12 = reinterpret_cast<std::uintptr_t>(argument);
    saved->r13 = reinterpret_cast<std::uintptr_t>(&caller.stack_pointer_);
    saved->return_address = kbuild_cpu_fiber_entry;
    stack_pointer_ = saved;
}

}  // namespace kbuild::cpu

#endif
