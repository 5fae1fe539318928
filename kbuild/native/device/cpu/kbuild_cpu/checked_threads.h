/* Threads of instrumented kernels; see mixed/kernel_text.h. */
#ifndef KBUILD_CPU_CHECKED_THREADS_H
#define KBUILD_CPU_CHECKED_THREADS_H

#include <kbuild/detail/cpu_checks.h>

#include "builtins.h"
#include "scheduling.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* Calls the body for a thread.  The compiler does not know what it calls, so that it cannot combine the accesses
 * of several threads. */
template <class __Body>
__attribute__((noinline, no_sanitize("thread"))) __device__ void run_checked(const uint3 &__index,
                                                                             __Body __body) {
    void (*__run)(__Body &, uint3) = [](__Body &__self, uint3 __which) { __self(__which); };
    __asm__ volatile("" : "+r"(__run));
    kbuild_cpu_api->checks->begin_thread();
    __run(__body, __index);
}

}  // namespace kbuild_cpu

#endif
