/* Threads of instrumented kernels; see mixed/kernel_text.h. */
#ifndef KBUILD_CPU_CHECKED_THREADS_H
#define KBUILD_CPU_CHECKED_THREADS_H

#include <kbuild/detail/cpu_checks.h>

#include "builtins.h"
#include "scheduling.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* Calls the body for a thread.  The compiler does not know what it calls, so that it cannot combine the accesses
 * of several threads.  The function gets a copy of the body, whose variables have no address: compilers insert no
 * calls before accesses to them.  The index is not an object: a copy of one would wait for the stores of its
 * fields. */
template <class __Body>
__attribute__((noinline, no_sanitize("thread"))) __device__ void run_checked(unsigned __x,
                                                                             unsigned __y,
                                                                             unsigned __z,
                                                                             __Body &&__body) {
    using __function = void (*)(__Body, unsigned, unsigned, unsigned);
    __function __run = [](__Body __self, unsigned __i, unsigned __j, unsigned __k) {
        __self(uint3{__i, __j, __k});
    };
    __asm__ volatile("" : "+r"(__run));
    kbuild_cpu_api->checks->begin_thread();
    __run(static_cast<__Body &&>(__body), __x, __y, __z);
}

}  // namespace kbuild_cpu

#endif
