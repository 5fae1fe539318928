// Handlers of the signals that crashes raise.
#ifndef KBUILD_CPU_CRASHES_SIGNALS_HPP
#define KBUILD_CPU_CRASHES_SIGNALS_HPP

#include <cstddef>
#include <sys/types.h>

namespace kbuild::cpu {

// Returns whether the runtime handles signals: false if KBUILD_CPU_SIGNALS is `off`. Throws Failure.
bool handles_signals();

// Installs the handlers, unless they are installed or switched off.
void install_signal_handlers();

// Installs the handler that reports calls of kernels like functions, unless it is installed or switched
// off. Programs call kernels also before the first launch.
void install_call_handler();

// Unblocks the signals that only the thread itself causes. A blocked one would end the program
// without a report.
void unblock_crash_signals() noexcept;

// Lets a thread call `answer_question` of question.hpp. Returns false if the program has replaced the
// handler.
bool interrupt_thread(pid_t thread) noexcept;

// A stack for handlers, because the current one can be full. Belongs to the OS thread that creates it.
class SignalStack {
public:
    SignalStack();  // throws Failure
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    void* start_ = nullptr;  // null if the thread has had a stack before
    std::size_t bytes_ = 0;
};

}  // namespace kbuild::cpu

#endif
