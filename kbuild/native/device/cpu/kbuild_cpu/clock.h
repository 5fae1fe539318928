/* Time, in nanoseconds: a CPU's cycle counter counts no cycles either. */
#ifndef KBUILD_CPU_CLOCK_H
#define KBUILD_CPU_CLOCK_H

#include "qualifiers.h"

#include <time.h>

#pragma GCC system_header

__device__ inline long long clock64() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<long long>(now.tv_sec) * 1000000000 + now.tv_nsec;
}
__device__ inline long long wall_clock64() { return clock64(); }

__device__ inline void __nanosleep(unsigned int) {}

#endif
