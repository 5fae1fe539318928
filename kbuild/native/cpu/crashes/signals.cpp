#include "crashes/signals.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "crashes/called_kernels.hpp"
#include "crashes/machine_context.hpp"
#include "crashes/reporter.hpp"
#include "launches/runner.hpp"
#include "loader.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kbuild::cpu {
namespace {

constexpr int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// With a mark, this signal is a question of the reporter. No other signal is taken from the program.
constexpr int question_signal = SIGBUS;
constexpr std::size_t signal_stack_bytes = std::size_t{64} * 1024;

// What the signals did before. Written before the handlers are installed.
struct sigaction former_actions[NSIG];
// What SIGSEGV did before the handler for calls of kernels.
struct sigaction former_call_action;
const char question_mark = 0;

bool read_signal_setting() {
    const char* text = std::getenv("KBUILD_CPU_SIGNALS");
    if (text == nullptr || *text == '\0' || std::strcmp(text, "on") == 0) return true;
    if (std::strcmp(text, "off") == 0) return false;
    throw Failure(KBUILD_CPU_INVALID_VALUE,
                  std::string("KBUILD_CPU_SIGNALS is '") + text + "'; expected on or off");
}

bool is_sent(const siginfo_t& info) noexcept { return info.si_code <= 0; }

// Calls the program's own handler as Linux would.
void call_former_handler(struct sigaction& action, int number, siginfo_t* info,
                         void* context) noexcept {
    const struct sigaction former = action;
    if ((former.sa_flags & SA_RESETHAND) != 0) {
        action = {};
        action.sa_handler = SIG_DFL;
    }
    sigset_t blocked = former.sa_mask, before;
    if ((former.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, number);
    // The handler of this runtime blocks all signals.
    const auto& outside = static_cast<ucontext_t*>(context)->uc_sigmask;
    sigorset(&blocked, &blocked, &outside);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    if ((former.sa_flags & SA_SIGINFO) != 0)
        former.sa_sigaction(number, info, context);
    else
        former.sa_handler(number);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Lets the signal have the effect that it had before this runtime handled it.
void pass_on(struct sigaction& former, int number, siginfo_t* info, void* context) noexcept {
    if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN)
        return call_former_handler(former, number, info, context);
    if (former.sa_handler == SIG_IGN && is_sent(*info)) return;
    checks::note_signal(number);
    // The instruction faults again after the handler returns. As a result, core files and debuggers
    // show the thread where it crashed.
    struct sigaction default_action = {};
    default_action.sa_handler = SIG_DFL;
    sigaction(number, &default_action, nullptr);
    if (is_sent(*info) && syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, info) != 0)
        raise(number);
}

bool is_question(int number, const siginfo_t& info) noexcept {
    return number == question_signal && info.si_code == SI_QUEUE && info.si_pid == getpid() &&
           info.si_value.sival_ptr == &question_mark;
}

// Returns whether the thread itself has caused the signal.
bool is_own_signal(const siginfo_t& info) noexcept {
    return !is_sent(info) || info.si_pid == getpid();
}

void fill_cause(Stop& stop, int number, const siginfo_t& info) noexcept {
    stop.signal = number;
    stop.code = info.si_code;
    stop.sender = is_sent(info) ? info.si_pid : 0;
    // For an address that is not canonical, x86-64 reports 0.
    stop.has_address =
        (number == SIGSEGV || number == SIGBUS) && !is_sent(info) && info.si_code != SI_KERNEL;
    stop.address = stop.has_address ? reinterpret_cast<std::uintptr_t>(info.si_addr) : 0;
}

void handle_signal(int number, siginfo_t* info, void* context) {
    const int error = errno;
    BlockRunner* const runner = BlockRunner::interrupted();
    if (is_question(number, *info)) {
        if (runner != nullptr) {
            MachineContext registers(context);
            answer_question(*runner, registers);
        }
        errno = error;
        return;
    }
    // abort() of another thread or process says nothing about this one.
    if (runner != nullptr && (number != SIGABRT || is_own_signal(*info))) {
        Stop stop;
        runner->fill_stop(stop, MachineContext(context));
        fill_cause(stop, number, *info);
        report_crash(stop);
    }
    pass_on(former_actions[number], number, info, context);
    errno = error;
}

void handle_call(int number, siginfo_t* info, void* context) {
    const int error = errno;
    if (!report_called_kernel(number, *info, context))
        pass_on(former_call_action, number, info, context);
    errno = error;
}

// Installs a handler that blocks all signals.
void install(int number, void (*handler)(int, siginfo_t*, void*), struct sigaction& former) {
    sigaction(number, nullptr, &former);
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, nullptr);
}

}  // namespace

bool handles_signals() {
    static const bool is_on = read_signal_setting();
    return is_on;
}

void install_signal_handlers() {
    pin_this_library();
    static const bool is_installed = [] {
        if (!handles_signals()) return false;
        for (const int number : crash_signals)
            install(number, handle_signal, former_actions[number]);
        return true;
    }();
    static_cast<void>(is_installed);
}

void install_call_handler() {
    pin_this_library();
    static const bool is_installed = [] {
        if (!handles_signals()) return false;
        install(SIGSEGV, handle_call, former_call_action);
        return true;
    }();
    static_cast<void>(is_installed);
}

void unblock_crash_signals() noexcept {
    sigset_t unblocked;
    sigemptyset(&unblocked);
    for (const int number : crash_signals)
        if (number != SIGABRT) sigaddset(&unblocked, number);
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);
}

bool interrupt_thread(pid_t thread) noexcept {
    struct sigaction now;
    if (sigaction(question_signal, nullptr, &now) != 0 || now.sa_sigaction != handle_signal)
        return false;
    siginfo_t info = {};
    info.si_signo = question_signal;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = const_cast<char*>(&question_mark);
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, question_signal, &info) == 0;
}

SignalStack::SignalStack() {
    stack_t current;
    if (!handles_signals() || sigaltstack(nullptr, &current) != 0 ||
        (current.ss_flags & SS_DISABLE) == 0)
        return;
    bytes_ = signal_stack_bytes;
#if defined(AT_MINSIGSTKSZ)
    bytes_ += getauxval(AT_MINSIGSTKSZ);  // registers of vectors and matrices
#endif
    void* const start = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (start == MAP_FAILED) return;
    const stack_t stack = {start, 0, bytes_};
    if (sigaltstack(&stack, nullptr) == 0)
        start_ = start;
    else
        munmap(start, bytes_);
}

SignalStack::~SignalStack() {
    if (start_ == nullptr) return;
    stack_t current;
    // The program can have set another stack since.
    if (sigaltstack(nullptr, &current) == 0 && current.ss_sp == start_) {
        stack_t none = {};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }
    munmap(start_, bytes_);
}

}  // namespace kbuild::cpu
