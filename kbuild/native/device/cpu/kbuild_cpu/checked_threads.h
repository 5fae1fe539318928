/* Threads of instrumented kernels; see mixed/kernel_text.h. */
#ifndef KBUILD_CPU_CHECKED_THREADS_H
#define KBUILD_CPU_CHECKED_THREADS_H

#include <kbuild/detail/cpu_checks.h>

#include "builtins.h"
#include "scheduling.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* Calls the body for a thread, with its index and, in a region, its number.  Compilers cannot combine the accesses of
 * several threads, because each one is a call.  No pointer to a function is needed, with which every kernel could
 * reach every other one; see mixed/waits/review.py of the backend.  The function gets a copy of the body, whose
 * variables have no address: compilers insert no calls before accesses to them.  The index is not an object: a copy
 * of one would wait for the stores of its fields. */
template <class __Body, class... __Number>
__attribute__((noinline)) __device__ void call_body(__Body __body, unsigned __x, unsigned __y,
                                                    unsigned __z, __Number... __number) {
    __asm__ volatile("" : : : "memory");
    __body(uint3{__x, __y, __z}, __number...);
}
template <class __Body>
__attribute__((always_inline, no_sanitize("thread"))) __device__ inline void run_checked(
    unsigned __x, unsigned __y, unsigned __z, __Body &&__body) {
    kbuild_cpu_api->checks->begin_thread();
    call_body<__Body>(static_cast<__Body &&>(__body), __x, __y, __z);
}
/* The same in a region. */
template <class __Body>
__attribute__((always_inline, no_sanitize("thread"))) __device__ inline void run_in_region(
    unsigned __x, unsigned __y, unsigned __z, int __number, __Body &&__body) {
    store_index(__x, __y, __z);
    kbuild_cpu_api->checks->enter_thread(static_cast<unsigned>(__number));
    call_body<__Body>(static_cast<__Body &&>(__body), __x, __y, __z, __number);
}

}  // namespace kbuild_cpu

#endif
