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

class Fiber;

// What a fiber does. `body` must call Fiber::begin first, and ends with Fiber::finish. Meanwhile, `caller` must
// be suspended, because a stack trace of the fiber continues there.
struct FiberStart {
    void (*body)(void*);
    void* argument;
    const Fiber& caller;
};

// A suspended computation, or the place where the running one will be saved. Owns no memory. Processors
// predict where functions return: to where the last calls were. Therefore, a switch returns, but a start and an
// end are jumps.
class Fiber : private StackAnnotation {
public:
    // Saves the running fiber in `from`, and calls start.body(start.argument) on the stack. Discards the
    // earlier state of `to`. Returns `result` when `from` continues.
    static const void* start(Fiber& from, Fiber& to, const Stack& stack, const FiberStart& start,
                             const void* result) noexcept;

    // Tells sanitizers that the switch to the new fiber is complete.
    static void begin() noexcept { arrive_first(); }

    // Ends the running fiber, and continues `to`. Does not return. The caller returns
    // right after it, so that the compiler makes it a jump.
    static void finish(Fiber& to) noexcept;

    // Saves the running fiber in `from`, and continues `to`. Returns `result` when `from` continues: the
    // caller then needs no frame, and its return address is the one that processors predict.
    static const void* switch_to(Fiber& from, Fiber& to, const void* result) noexcept;

    // Loads the data that the suspended fiber needs first into the cache.
    void prefetch() const noexcept;

private:
#if defined(KBUILD_CPU_FIBER_UCONTEXT)
    ucontext_t context_;
#else
    void* stack_pointer_ = nullptr;  // the rest is on the stack
#endif
};

#if !defined(KBUILD_CPU_FIBER_UCONTEXT)

// Does not throw, so that a caller can end with a jump to it.
extern "C" const void* kbuild_cpu_fiber_switch(void** save, void* resume,
                                               const void* result) noexcept;

extern "C" const void* kbuild_cpu_fiber_start(void** save, void* top, void (*body)(void*),
                                              void* argument, void* const* caller,
                                              const void* result) noexcept;
extern "C" void kbuild_cpu_fiber_finish(void* resume) noexcept;

inline const void* Fiber::start(Fiber& from, Fiber& to, const Stack& stack, const FiberStart& start,
                                const void* result) noexcept {
    to.start_on(stack.base, stack.size);
    from.leave_for(to);
    const auto* const returned =
        kbuild_cpu_fiber_start(&from.stack_pointer_, stack.base + stack.size, start.body,
                               start.argument, &start.caller.stack_pointer_, result);
    from.arrive();
    return returned;
}

inline void Fiber::finish(Fiber& to) noexcept {
    end_for(to);
    return kbuild_cpu_fiber_finish(to.stack_pointer_);
}

inline const void* Fiber::switch_to(Fiber& from, Fiber& to, const void* result) noexcept {
    from.leave_for(to);
    const auto* const returned =
        kbuild_cpu_fiber_switch(&from.stack_pointer_, to.stack_pointer_, result);
    from.arrive();
    return returned;
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
