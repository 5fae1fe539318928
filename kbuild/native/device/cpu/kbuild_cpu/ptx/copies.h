/* cp.async: copies to shared memory, which are complete when they are issued. */
#ifndef KBUILD_CPU_PTX_COPIES_H
#define KBUILD_CPU_PTX_COPIES_H

#include "../async/copies.h"
#include "addresses.h"

#include <string.h>

#pragma GCC system_header

namespace kbuild_cpu::ptx {

/* Copies bytes, and sets the others of the destination to 0. */
template <class __To, class __From>
__attribute__((always_inline)) __device__ inline void copy_async(const __To &__to,
                                                                 const __From &__from,
                                                                 kbuild_uint32 __bytes,
                                                                 kbuild_uint32 __copied) {
    void *const __memory = reinterpret_cast<void *>(
        from_shared(static_cast<kbuild_uint32>(to_address(__to)), "cp.async"));
    if (__copied > __bytes)
        fail_call({"cp.async", nullptr, 0, 32}, "the size of the source exceeds the other size");
    memcpy(__memory, reinterpret_cast<const void *>(to_address(__from)), __copied);
    memset(static_cast<char *>(__memory) + __copied, 0, __bytes - __copied);
    issue_copy(__memory, __bytes, reinterpret_cast<const void *>(to_address(__from)), __copied);
}
template <class __To, class __From>
__attribute__((always_inline)) __device__ inline void copy_async(const __To &__to,
                                                                 const __From &__from,
                                                                 kbuild_uint32 __bytes) {
    copy_async(__to, __from, __bytes, __bytes);
}
__device__ inline void commit_group() { commit_copies(); }
__device__ inline void wait_group(size_t __prior) { finish_copies(__prior); }
__device__ inline void wait_all() {
    commit_copies();
    finish_copies(0);
}

}  // namespace kbuild_cpu::ptx

#endif
