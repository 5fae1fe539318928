/* The loop over the threads of a block.
 *
 * The backend puts the body of every kernel into such a loop; see mixed/kernel_text.h.  The kernel's
 * symbol is then a function that runs a block: all threads that have not started. */
#ifndef KBUILD_CPU_THREADS_H
#define KBUILD_CPU_THREADS_H

#include <kbuild/detail/cpu_device_api.h>

#include "builtins.h"
#include "qualifiers.h"

#include <type_traits>

#pragma GCC system_header

extern "C" {
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_cpu_progress kbuild_cpu_progress;
}

namespace kbuild_cpu {

/* Calls a copy of the body for each thread of a row of the block.
 *
 * The loop contains nothing but the body, so that the compiler can vectorize it.  If the body computes
 * the index of the thread in the grid, that index is the loop's own variable, of the type that the
 * body uses.  Then gcc can split the loop at a comparison with it, such as `if (i < n)`.  Otherwise,
 * it would need masked stores, which are slow on some processors. */
template <class __Index, class __Body>
__attribute__((always_inline, artificial)) inline void for_each_in_row(
    const __Body &__body, unsigned int __width, unsigned int __y, unsigned int __z) {
    if constexpr (std::is_void_v<__Index>) {
        for (unsigned int __x = 0; __x < __width; ++__x) {
            __Body __thread_body(__body);
            __thread_body(uint3{__x, __y, __z});
        }
    } else {
        const unsigned int __start = ::blockIdx.x * __width;
        if (__start > 0x7FFFFFFFu - __width) __builtin_unreachable();
        const __Index __end = static_cast<__Index>(__start + __width);
        for (__Index __i = static_cast<__Index>(__start); __i < __end; ++__i) {
            __Body __thread_body(__body);
            __thread_body(uint3{static_cast<unsigned int>(__i) - __start, __y, __z});
        }
    }
}

/* Calls a copy of the body for each thread of the block.  No thread stops before its end, and
 * threadIdx has an index that does not exist, so that a function that reads it by mistake does not
 * see a plausible one.  Three nested loops would prevent gcc from vectorizing the inner one. */
template <class __Index, class __Body>
__attribute__((always_inline, artificial)) inline void for_each_unseen_thread(const __Body &__body) {
    ::threadIdx.x = ::threadIdx.y = ::threadIdx.z = ~0u;
    const unsigned int __width = ::blockDim.x, __height = ::blockDim.y;
    const unsigned int __rows = __height * ::blockDim.z;
    if (__width > 1024) __builtin_unreachable();
    unsigned int __y = 0, __z = 0;
    for (unsigned int __row = 0; __row < __rows; ++__row) {
        for_each_in_row<__Index>(__body, __width, __y, __z);
        if (++__y == __height) {
            __y = 0;
            ++__z;
        }
    }
}

/* Calls a copy of the body for each thread of the block, from the first one that has not started.
 * Functions that the body calls can read threadIdx, and can stop so that other threads run.  In that
 * case, another call starts the remaining threads. */
template <class __Body>
__attribute__((always_inline, artificial)) inline void for_each_thread(const __Body &__body) {
    const auto __suspensions = ::kbuild_cpu_progress.suspensions;
    const auto __start = ::kbuild_cpu_progress.start;
    const unsigned int __width = ::blockDim.x, __height = ::blockDim.y, __depth = ::blockDim.z;
    unsigned int __x = __start.x, __y = __start.y;
    for (unsigned int __z = __start.z; __z < __depth; ++__z, __y = 0)
        for (; __y < __height; ++__y, __x = 0)
            for (; __x < __width; ++__x) {
                ::threadIdx.x = __x;
                ::threadIdx.y = __y;
                ::threadIdx.z = __z;
                __Body __thread_body(__body);
                __thread_body(uint3{__x, __y, __z});
                if (__builtin_expect(::kbuild_cpu_progress.suspensions != __suspensions, 0)) return;
            }
}

}  // namespace kbuild_cpu

#endif
