/* Threads of instrumented kernels; see mixed/kernel_text.h. */
#ifndef KBUILD_CPU_CHECKED_THREADS_H
#define KBUILD_CPU_CHECKED_THREADS_H

#include <kbuild/detail/cpu_checks.h>

#include "builtins.h"
#include "scheduling.h"
#include "threads.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* Calls the body for a thread, with its index and, in a region, its number and the variables that it keeps.  Compilers
 * cannot combine the accesses of several threads, because each one is a call.  No pointer to a function is needed, with
 * which every kernel could reach every other one; see mixed/waits/review.py of the backend.  The function gets a copy of
 * the body, whose variables have no address: compilers insert no calls before accesses to them.  The index is not an
 * object: a copy of one would wait for the stores of its fields. */
template <class __Body, class... __Kept>
__attribute__((noinline)) __device__ void call_body(__Body __body, unsigned __x, unsigned __y,
                                                    unsigned __z, __Kept... __kept) {
    __asm__ volatile("" : : : "memory");
    __body(uint3{__x, __y, __z}, __kept...);
}

/* Returns the address of a thread-local variable, which compilers would compute for each thread again. */
template <class __T>
__attribute__((always_inline)) __device__ inline __T *keep_address(__T &__variable) {
    __T *__address = &__variable;
    __asm__("" : "+r"(__address));
    return __address;
}

/* Runs the threads of a block, of which each one can be suspended.  Then the runtime has let others run meanwhile, and
 * starts the rest with another call. */
template <class __Body>
__attribute__((always_inline, no_sanitize("thread", "undefined"))) __device__ inline void
run_threads(const __Body &__body) {
    auto *const __progress = keep_address(::kbuild_cpu_progress);
    auto *const __index = const_cast<::uint3 *>(keep_address(::threadIdx));
    const auto __suspensions = __progress->suspensions;
    const unsigned __width = ::blockDim.x, __height = ::blockDim.y, __depth = ::blockDim.z;
    __index->x = __index->y = __index->z =
        0; /* of any thread, so that the runtime finds the block */
    kbuild_cpu_check_begin_thread();
    if (__builtin_expect(__progress->order != 0, 0)) {
        const unsigned __threads = __width * __height * __depth;
        for (unsigned __place = __progress->start.x; __place < kbuild_cpu_count_places(__threads);
             ++__place) {
            const unsigned __number =
                kbuild_cpu_started_thread(__place, __threads, __progress->order);
            if (__number >= __threads) continue;
            __progress->start.x = __place;
            __index->x = __number % __width;
            __index->y = __number / __width % __height;
            __index->z = __number / __width / __height;
            kbuild_cpu_check_enter_thread(__number);
            call_body(__body, __index->x, __index->y, __index->z);
            if (__progress->suspensions != __suspensions) return;
        }
        return;
    }
    unsigned __x = __progress->start.x, __y = __progress->start.y, __z = __progress->start.z;
    unsigned __number = (__z * __height + __y) * __width + __x;
    for (; __z < __depth; ++__z, __y = 0)
        for (; __y < __height; ++__y, __x = 0)
            for (; __x < __width; ++__x, ++__number) {
                __index->x = __x;
                __index->y = __y;
                __index->z = __z;
                kbuild_cpu_check_enter_thread(__number);
                call_body(__body, __x, __y, __z);
                if (__builtin_expect(__progress->suspensions != __suspensions, 0)) return;
            }
}

/* Threads of a row that continue in a region, one after the other. */
class region_threads {
public:
    template <class __Part>
    __attribute__((always_inline, no_sanitize("thread", "undefined")))
    __device__ explicit region_threads(const __Part &__part)
        : base_(__part.base), index_(const_cast<::uint3 *>(keep_address(::threadIdx))) {
        index_->y = __part.y;
        index_->z = __part.z;
    }
    /* Returns the number of the thread. */
    __attribute__((always_inline, no_sanitize("thread", "undefined"))) __device__ int enter(
        int __x) const {
        const int __number = base_ + __x;
        index_->x = static_cast<unsigned>(__x);
        kbuild_cpu_check_enter_thread(static_cast<unsigned>(__number));
        return __number;
    }

private:
    int base_;
    ::uint3 *index_;
};

}  // namespace kbuild_cpu

#endif
