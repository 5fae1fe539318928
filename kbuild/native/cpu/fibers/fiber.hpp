// Fibers: computations with separate stacks that take turns on one OS thread.
#ifndef KBUILD_CPU_FIBERS_FIBER_HPP
#define KBUILD_CPU_FIBERS_FIBER_HPP

#if !defined(__x86_64__)
#define KBUILD_CPU_FIBER_UCONTEXT 1  // tests select it on x86-64, too
#endif

#include "fibers/sanitizers.hpp"

#include <cstddef>

#if defined(KBUILD_CPU_FIBER_UCONTEXT)
#include <ucontext.h>
#endif

namespace kbuild::cpu {

// The lowest address of a fiber's stack, and its size in bytes.
struct Stack {
    char* base;
    std::size_t size;
};

// A suspended computation, or the place where the running one will be saved. Owns no memory.
class Fiber : private StackAnnotation {
public:
    // Prepares the fiber to call body(argument) on the stack, and discards its earlier state.
    // `body` must call `begin` first, and must not return. While it runs, `caller` must be suspended,
    // because a stack trace of the fiber continues there.
    void prepare(Stack stack, void (*body)(void*), void* argument, const Fiber& caller);

    // Tells sanitizers that the first switch to the running fiber is complete.
    static void begin() noexcept { arrive_first(); }

    // Saves the running fiber in `from`, and continues `to`, in which this function then returns the
    // value. A fiber that starts does not receive it.
    static const void* switch_to(Fiber& from, Fiber& to, const void* value);

    // Loads the data that the suspended fiber needs first into the cache.
    void prefetch() const noexcept;

private:
#if defined(KBUILD_CPU_FIBER_UCONTEXT)
    ucontext_t context_;
    const void* value_ = nullptr;
#else
    void* stack_pointer_ = nullptr;  // the rest is on the stack
#endif
};

#if !defined(KBUILD_CPU_FIBER_UCONTEXT)

extern "C" const void* kbuild_cpu_fiber_switch(void** save, void* resume, const void* value);

inline const void* Fiber::switch_to(Fiber& from, Fiber& to, const void* value) {
    from.leave_for(to);
    const auto* const received =
        kbuild_cpu_fiber_switch(&from.stack_pointer_, to.stack_pointer_, value);
    from.arrive();
    return received;
}

// The saved registers, the runtime's frames, and usually the kernel's frame.
inline void Fiber::prefetch() const noexcept {
    constexpr std::size_t lines = 4, line_bytes = 64;
    const auto* stack = static_cast<const char*>(stack_pointer_);
    for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(stack + i * line_bytes, 1);
}

#endif

}  // namespace kbuild::cpu

#endif
