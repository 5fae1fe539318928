/* Calls of the runtime that can suspend a thread. */
#ifndef KBUILD_CPU_SCHEDULING_H
#define KBUILD_CPU_SCHEDULING_H

#include <kbuild/detail/cpu_device_api.h>

#include "qualifiers.h"

#pragma GCC system_header

/* The image's attach function sets the first one, and each launch sets the second one. */
extern "C" {
extern __attribute__((visibility("hidden"))) const struct kbuild_cpu_device_api *kbuild_cpu_api;
extern KBUILD_CPU_IN_IMAGE __thread void *const kbuild_cpu_runner;
}

/* The last parameters of a function that can wait: where it is called.  Reports name the line. */
#define KBUILD_CPU_CALLER const char *__file = __builtin_FILE(), unsigned __line = __builtin_LINE()
#define KBUILD_CPU_CALL(function) (kbuild_cpu_call{function, __file, __line, 32})

namespace kbuild_cpu {

/* Descriptions of calls are passed by value, because checks instrument variables whose address is taken.
 *
 * Returns the sum of the values of all threads that have reached the barrier. */
KBUILD_CPU_UNCHECKED __device__ inline uint64_t block_barrier(kbuild_cpu_call __call,
                                                              uint64_t __value = 0) {
    return *kbuild_cpu_api->barrier(kbuild_cpu_runner, &__call, __value);
}

KBUILD_CPU_UNCHECKED __device__ inline void spin_call(kbuild_cpu_call __call, unsigned __weight) {
    kbuild_cpu_api->spin(kbuild_cpu_runner, &__call, __weight);
}

[[noreturn]] __device__ inline void fail_call(kbuild_cpu_call __call, const char *__reason) {
    kbuild_cpu_api->fail(kbuild_cpu_runner, &__call, __reason);
    __builtin_unreachable();
}

/* Atomic functions call this if they have changed nothing, because the thread might wait for a
 * value that another thread writes. */
__attribute__((noinline, cold)) __device__ inline void spin() {
    spin_call(kbuild_cpu_call{"an atomic function that changes nothing", nullptr, 0, 32}, 1);
}

}  // namespace kbuild_cpu

#endif
