// Fibers: stacks of their own that take turns on one OS thread.
#ifndef KBUILD_CPU_FIBERS_FIBER_HPP
#define KBUILD_CPU_FIBERS_FIBER_HPP

#if !defined(__x86_64__)
#define KBUILD_CPU_FIBER_UCONTEXT 1  // also to be had on x86-64, for tests
#endif

#include <cstddef>

#if defined(KBUILD_CPU_FIBER_UCONTEXT)
#include <ucontext.h>
#endif

namespace kbuild::cpu {

// The low end of a fiber's stack, and its size.
struct Stack {
    char* base;
    std::size_t size;
};

// A suspended computation, or a place to keep the running one. It owns no memory.
class Fiber {
public:
    // Makes the fiber ready to call body(argument) on that stack. What the fiber did before
    // is forgotten. `body` must never return. While it runs `caller` must be suspended: a
    // stack trace of the fiber goes on there.
    void prepare(Stack stack, void (*body)(void*), void* argument, const Fiber& caller);

    // Suspends the running fiber in `from`, and continues `to`.
    static void switch_to(Fiber& from, Fiber& to);

    // Brings what the suspended fiber will need first into the cache.
    void prefetch() const noexcept;

private:
#if defined(KBUILD_CPU_FIBER_UCONTEXT)
    ucontext_t context_;
#else
    void* stack_pointer_ = nullptr;  // everything else is on the stack
#endif
};

#if !defined(KBUILD_CPU_FIBER_UCONTEXT)

extern "C" void kbuild_cpu_fiber_switch(void** save, void* resume);

inline void Fiber::switch_to(Fiber& from, Fiber& to) {
    kbuild_cpu_fiber_switch(&from.stack_pointer_, to.stack_pointer_);
}

// Registers, the runtime's frames and, with luck, the kernel's.
inline void Fiber::prefetch() const noexcept {
    constexpr int lines = 4, line_bytes = 64;
    const auto* stack = static_cast<const char*>(stack_pointer_);
    for (int i = 0; i < lines; ++i) __builtin_prefetch(stack + i * line_bytes, 1);
}

#endif

}  // namespace kbuild::cpu

#endif
