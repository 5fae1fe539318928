/* cuda::memcpy_async.  A copy is complete when the function returns, which only checks do not rely on. */
#ifndef KBUILD_CPU_ASYNC_MEMCPY_H
#define KBUILD_CPU_ASYNC_MEMCPY_H

#include "copies.h"

#include <stddef.h>
#include <string.h>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace cuda {

/* A number of bytes with a guarantee about the alignment of both pointers. */
template <size_t __Alignment>
struct aligned_size_t {
    static constexpr size_t align = __Alignment;
    size_t value;

    explicit constexpr aligned_size_t(size_t __bytes) : value(__bytes) {}
    constexpr operator size_t() const { return value; }
};

}  // namespace cuda

namespace kbuild_cpu {

/* The thread with rank 0 copies for its group.  The others can use the memory after the barrier,
 * which it reaches later. */
template <class __Group>
__attribute__((always_inline)) inline void copy_once(const __Group &__group, void *__to,
                                                     const void *__from, size_t __bytes) {
    if (__group.thread_rank() != 0) return;
    memcpy(__to, __from, __bytes);
    issue_copy(__to, __bytes, __from, __bytes);
}

}  // namespace kbuild_cpu

#pragma GCC visibility pop
#endif
