/* Asynchronous copies to shared memory.  A copy is complete when it is issued, so that only checks need to know of
 * waits. */
#ifndef KBUILD_CPU_CUDA_PIPELINE_PRIMITIVES_H
#define KBUILD_CPU_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_awbarrier_primitives.h"
#include "kbuild_cpu/async/copies.h"

#include <string.h>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

/* Copies 4, 8, or 16 bytes, of which the last `zeros` ones become 0. */
__attribute__((always_inline)) inline void __pipeline_memcpy_async(void *__to, const void *__from,
                                                                   size_t __bytes,
                                                                   size_t __zeros = 0) {
    memcpy(__to, __from, __bytes - __zeros);
    memset(static_cast<char *>(__to) + (__bytes - __zeros), 0, __zeros);
    kbuild_cpu::issue_copy(__to, __bytes, __from, __bytes - __zeros);
}
inline void __pipeline_commit() { kbuild_cpu::commit_copies(); }
inline void __pipeline_wait_prior(size_t __prior) { kbuild_cpu::finish_copies(__prior); }
/* An arrival that is expected in addition, and comes when the copies are complete. */
inline void __pipeline_arrive_on(__mbarrier_t *__barrier) { kbuild_cpu::commit_copies(__barrier); }

#pragma GCC visibility pop
#endif
