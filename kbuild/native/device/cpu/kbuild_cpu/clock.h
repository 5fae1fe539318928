/* Clocks, in nanoseconds.  A CPU's cycle counter does not count actual cycles, either.
 *
 * A thread that reads a clock again and again waits for time to pass, which the other threads of its
 * block can use.  Otherwise, threads that a GPU lets wait together would wait one after another.
 * Functors of Thrust also run in host code, which has no other threads. */
#ifndef KBUILD_CPU_CLOCK_H
#define KBUILD_CPU_CLOCK_H

#include "qualifiers.h"
#include "scheduling.h"

/* In device code, clock() has another symbol than the C library's function, whose declaration follows. */
#if (defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)) && !defined(_TIME_H)
#define KBUILD_CPU_CLOCK
extern "C" __attribute__((visibility("hidden"))) long clock() noexcept __asm__("kbuild_cpu_clock");
#endif
#include <time.h>

#pragma GCC system_header

__device__ inline long long clock64() {
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
    kbuild_cpu::yield_call(kbuild_cpu_call{"a function that reads a clock", nullptr, 0, 32},
                           KBUILD_CPU_SPIN_LIMIT / 4);
#endif
    timespec __now;
    clock_gettime(CLOCK_MONOTONIC, &__now);
    return static_cast<long long>(__now.tv_sec) * 1000000000 + __now.tv_nsec;
}
__device__ inline long long wall_clock64() { return clock64(); }

/* The C library's clock() measures the time of the process, in microseconds. */
#if defined(KBUILD_CPU_CLOCK)
extern "C" __device__ inline clock_t clock() noexcept { return clock64(); }
#undef KBUILD_CPU_CLOCK
#endif

#endif
