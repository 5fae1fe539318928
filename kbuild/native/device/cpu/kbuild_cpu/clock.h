/* Clocks, in nanoseconds.  A CPU's cycle counter does not count actual cycles, either. */
#ifndef KBUILD_CPU_CLOCK_H
#define KBUILD_CPU_CLOCK_H

#include "qualifiers.h"

#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
extern "C" __attribute__((visibility("hidden"))) long clock() noexcept __asm__("kbuild_cpu_clock");
#endif
#include <time.h>

#pragma GCC system_header

__device__ inline long long clock64() {
    timespec __now;
    clock_gettime(CLOCK_MONOTONIC, &__now);
    return static_cast<long long>(__now.tv_sec) * 1000000000 + __now.tv_nsec;
}
__device__ inline long long wall_clock64() { return clock64(); }

/* The C library's clock() measures the time of the process, in microseconds.  Host code keeps it: the
 * function of device code has another symbol. */
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
extern "C" __device__ inline clock_t clock() noexcept { return clock64(); }
#endif

#endif
