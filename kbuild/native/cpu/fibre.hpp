// Fibres: stacks of their own that take turns on one OS thread.
#ifndef KBUILD_CPU_FIBRE_HPP
#define KBUILD_CPU_FIBRE_HPP

#if !defined(__x86_64__)
#define KBUILD_CPU_FIBRE_UCONTEXT 1  // also to be had on x86-64, for tests
#endif

#include <cstddef>

#if defined(KBUILD_CPU_FIBRE_UCONTEXT)
#include <ucontext.h>
#endif

namespace kbuild::cpu {

// The low end of a fibre's stack, and its size.
struct Stack {
    char* base;
    std::size_t size;
};

// A suspended computation, or a place to keep the running one. It owns no memory.
class Fibre {
public:
    // Makes the fibre ready to call body(argument) on that stack, in the default
    // floating-point environment: the host's rounding mode is not the device's. What the
    // fibre did before is forgotten. `body` must never return.
    void prepare(Stack stack, void (*body)(void*), void* argument);

    // Suspends the running fibre in `from`, and continues `to`.
    static void switch_to(Fibre& from, Fibre& to);

private:
#if defined(KBUILD_CPU_FIBRE_UCONTEXT)
    ucontext_t context_;
#else
    void* stack_pointer_ = nullptr;  // everything else is on the stack
#endif
};

}  // namespace kbuild::cpu

#endif
