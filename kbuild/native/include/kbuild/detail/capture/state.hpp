// The state of captures in a process: the settings in the environment, and the number of captured
// launches.
#ifndef KBUILD_DETAIL_CAPTURE_STATE_HPP
#define KBUILD_DETAIL_CAPTURE_STATE_HPP

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KBUILD_CAPTURE_LAUNCHES 100ull
#define KBUILD_CAPTURE_BUFFER_BYTES (1ull << 30)

// The captured launches of a process. A forked child starts from zero. Weak, so that all stub units
// that are linked together share one definition.
struct kbuild_capture_state {
    int __process;
    int __holder;
    int __is_over;
    unsigned long long __captured;
    unsigned long long __number;
};
extern struct kbuild_capture_state kbuild_captures
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
struct kbuild_capture_state kbuild_captures = {};

__attribute__((format(printf, 1, 2))) static void kbuild_report_capture(const char* __format, ...) {
    char __line[3072];
    va_list __arguments;
    va_start(__arguments, __format);
    const int __length = vsnprintf(__line, sizeof __line - 1, __format, __arguments);
    va_end(__arguments);
    if (__length < 0) return;
    const size_t __end = static_cast<size_t>(__length) < sizeof __line - 1
                             ? static_cast<size_t>(__length)
                             : sizeof __line - 2;
    __line[__end] = '\n';
    (void)!write(STDERR_FILENO, __line, __end + 1);
}

// The value of the lock is the number of the process that holds it. A forked child can therefore
// ignore a lock that another thread held during the fork.
static void kbuild_lock_captures() {
    const int __own = static_cast<int>(getpid());
    int __holder = 0;
    while (!__atomic_compare_exchange_n(&kbuild_captures.__holder, &__holder, __own, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        if (__holder == __own) {
            __holder = 0;
            sched_yield();
        }
    }
    if (kbuild_captures.__process != __own) {
        kbuild_captures.__process = __own;
        kbuild_captures.__is_over = 0;
        kbuild_captures.__captured = 0;
    }
}

static void kbuild_unlock_captures() {
    __atomic_store_n(&kbuild_captures.__holder, 0, __ATOMIC_RELEASE);
}

// Stops capturing after an error that would occur again, and reports it once.
static void kbuild_stop_captures(const char* __directory, const char* __reason) {
    kbuild_lock_captures();
    const bool __is_first = !kbuild_captures.__is_over;
    kbuild_captures.__is_over = 1;
    kbuild_unlock_captures();
    if (__is_first)
        kbuild_report_capture("kbuild: KBUILD_CAPTURE: %.2000s: %.500s; nothing more is captured",
                              __directory, __reason);
}

// Returns a number from the environment, or the default if it is not set or not a number.
static unsigned long long kbuild_read_setting(const char* __variable, unsigned long long __default,
                                              bool __may_report) {
    const char* const __words = getenv(__variable);
    char* __end = nullptr;
    if (__words == nullptr || __words[0] == '\0') return __default;
    errno = 0;
    const unsigned long long __number = strtoull(__words, &__end, 10);
    if (errno == 0 && *__end == '\0' && __words[0] >= '0' && __words[0] <= '9') return __number;
    if (__may_report)
        kbuild_report_capture("kbuild: %s: '%.500s' is not a number; using the default, %llu",
                              __variable, __words, __default);
    return __default;
}

// Returns the number of this capture in the process, from 1, or 0 if the launch is not captured.
static unsigned long long kbuild_claim_capture(const char* __directory) {
    kbuild_lock_captures();
    struct kbuild_capture_state* const __state = &kbuild_captures;
    const bool __was_over = __state->__is_over;
    unsigned long long __limit = 0, __place = 0;
    if (!__was_over) {
        __limit = kbuild_read_setting("KBUILD_CAPTURE_LIMIT", KBUILD_CAPTURE_LAUNCHES,
                                      __state->__captured == 0);
        __state->__is_over = __state->__captured >= __limit;
        if (!__state->__is_over) __place = ++__state->__captured;
    }
    kbuild_unlock_captures();
    if (!__was_over && __place == 0)
        kbuild_report_capture(
            "kbuild: KBUILD_CAPTURE: %.2000s: reached KBUILD_CAPTURE_LIMIT after %llu "
            "launches; nothing more is captured",
            __directory, __limit);
    if (__place != 0 && mkdir(__directory, 0777) != 0 && errno != EEXIST) {
        kbuild_stop_captures(__directory, strerror(errno));
        return 0;
    }
    return __place;
}

static unsigned long long kbuild_number_capture() {
    kbuild_lock_captures();
    const unsigned long long __number = kbuild_captures.__number++;
    kbuild_unlock_captures();
    return __number;
}

// Returns the directory for captures, or null if launches are not captured.
static const char* kbuild_capture_target() {
    const char* const __directory = getenv("KBUILD_CAPTURE");
    return __directory == nullptr || __directory[0] == '\0' || strcmp(__directory, "0") == 0
               ? nullptr
               : __directory;
}

#endif
