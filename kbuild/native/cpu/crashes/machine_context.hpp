// The registers of an interrupted thread that reports need.
#ifndef KBUILD_CPU_CRASHES_MACHINE_CONTEXT_HPP
#define KBUILD_CPU_CRASHES_MACHINE_CONTEXT_HPP

#include <cstdint>
#include <ucontext.h>

namespace kbuild::cpu {

// A view of the context that a signal handler receives. All members are 0 on unknown machines.
class MachineContext {
public:
    explicit MachineContext(void* context)
        : machine_(static_cast<ucontext_t*>(context)->uc_mcontext) {}

    std::uintptr_t program_counter() const noexcept {
#if defined(__x86_64__)
        return static_cast<std::uintptr_t>(machine_.gregs[REG_RIP]);
#elif defined(__aarch64__)
        return machine_.pc;
#else
        return 0;
#endif
    }

    std::uintptr_t stack_pointer() const noexcept {
#if defined(__x86_64__)
        return static_cast<std::uintptr_t>(machine_.gregs[REG_RSP]);
#elif defined(__aarch64__)
        return machine_.sp;
#else
        return 0;
#endif
    }

    // Returns the return address of a function that has not stored it on its stack, or 0.
    std::uintptr_t link_register() const noexcept {
#if defined(__aarch64__)
        return machine_.regs[30];
#else
        return 0;
#endif
    }

    // Lets the thread continue at the start of a function that does not return, on its own stack.
    // Returns false on unknown machines.
    bool continue_at(void (*function)()) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(function);
#if defined(__x86_64__)
        constexpr std::uintptr_t red_zone = 128, return_address = 8;
        constexpr greg_t direction_flag = 1 << 10;
        machine_.gregs[REG_RSP] = static_cast<greg_t>(
            ((stack_pointer() - red_zone) & ~std::uintptr_t{15}) - return_address);
        machine_.gregs[REG_RIP] = static_cast<greg_t>(address);
        machine_.gregs[REG_EFL] &= ~direction_flag;
        return true;
#elif defined(__aarch64__)
        machine_.sp = stack_pointer() & ~std::uintptr_t{15};
        machine_.pc = address;
        return true;
#else
        static_cast<void>(address);
        return false;
#endif
    }

    // Turns a call of what is at the program counter into a call of a function. Does nothing on unknown
    // machines.
    void call_instead(void (*function)(const void*)) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(function);
#if defined(__x86_64__)
        machine_.gregs[REG_RDI] = machine_.gregs[REG_RIP];
        machine_.gregs[REG_RIP] = static_cast<greg_t>(address);
#elif defined(__aarch64__)
        machine_.regs[0] = machine_.pc;
        machine_.pc = address;
#else
        static_cast<void>(address);
#endif
    }

private:
    mcontext_t& machine_;
};

}  // namespace kbuild::cpu

#endif
