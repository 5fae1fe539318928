// Where a signal has stopped a thread that runs device code.
#ifndef KBUILD_CPU_CRASHES_STOP_HPP
#define KBUILD_CPU_CRASHES_STOP_HPP

#include <kbuild/cpu_image.h>

#include <cstddef>
#include <cstdint>

namespace kbuild::cpu {

constexpr std::size_t longest_kernel_name = 1024;
constexpr std::size_t kept_stack_words = 128;

// A copy, because a signal handler fills it, and another thread reads it.
struct Stop {
    char kernel[longest_kernel_name];  // the symbol, which can be truncated
    const kbuild_cpu_image* image;
    kbuild_dim3 block;
    kbuild_dim3 thread;  // all bits are set if the thread is unknown
    std::uintptr_t program_counter;
    // If the program counter is in a library or header, these words can contain the address of the call.
    std::uintptr_t link_register;
    std::uintptr_t stack_words[kept_stack_words];
    std::uintptr_t stack_pointer;
    std::uintptr_t stack_start;  // with the guard page
    std::size_t stack_bytes;
    // The memory of `extern __shared__` arrays.
    std::uintptr_t shared;
    std::size_t shared_bytes;
    bool has_failed;  // whether the launch has ended with an error
    // The signal, or 0.
    int signal;
    int code;    // si_code
    int sender;  // a process id; 0 unless a process sent the signal
    bool has_address;
    std::uintptr_t address;
};

inline bool is_known(const kbuild_dim3& thread) noexcept { return thread.x != ~std::uint32_t{0}; }

// Returns whether the stack pointer is below the memory of the stack. A function with much local memory
// can skip the guard page.
inline bool is_stack_full(const Stop& stop) noexcept {
    constexpr std::uintptr_t guard = 4096, largest_frame = 1 << 20;
    return stop.stack_pointer < stop.stack_start + guard &&
           stop.stack_start - largest_frame < stop.stack_pointer;
}

// Returns whether the crash is a stack overflow.
inline bool is_overflow(const Stop& stop) noexcept {
    constexpr std::uintptr_t guard = 4096;
    return stop.has_address && (is_stack_full(stop) || stop.address - stop.stack_start < guard);
}

}  // namespace kbuild::cpu

#endif
