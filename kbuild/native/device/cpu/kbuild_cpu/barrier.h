/* Barriers and memory fences. */
#ifndef KBUILD_CPU_BARRIER_H
#define KBUILD_CPU_BARRIER_H

#include "qualifiers.h"
#include "scheduling.h"

#pragma GCC system_header

__device__ inline void KBUILD_BLOCK_BARRIER __syncthreads(KBUILD_CPU_CALLER) {
    kbuild_cpu::block_barrier(KBUILD_CPU_CALL("__syncthreads"));
}

__device__ inline int KBUILD_BLOCK_OPERATION __syncthreads_count(int __predicate,
                                                                 KBUILD_CPU_CALLER) {
    return static_cast<int>(
        kbuild_cpu::block_barrier(KBUILD_CPU_CALL("__syncthreads_count"), __predicate != 0));
}
__device__ inline int KBUILD_BLOCK_OPERATION __syncthreads_or(int __predicate, KBUILD_CPU_CALLER) {
    return kbuild_cpu::block_barrier(KBUILD_CPU_CALL("__syncthreads_or"), __predicate != 0) != 0;
}
__device__ inline int KBUILD_BLOCK_OPERATION __syncthreads_and(int __predicate, KBUILD_CPU_CALLER) {
    return kbuild_cpu::block_barrier(KBUILD_CPU_CALL("__syncthreads_and"), __predicate == 0) == 0;
}

#define KBUILD_CPU_FENCE(name) \
    __device__ inline void KBUILD_YIELDS name(KBUILD_CPU_CALLER) { \
        __atomic_thread_fence(__ATOMIC_SEQ_CST); \
        kbuild_cpu::yield_call(KBUILD_CPU_CALL(#name), 1); \
    }

KBUILD_CPU_FENCE(__threadfence)
KBUILD_CPU_FENCE(__threadfence_block)
KBUILD_CPU_FENCE(__threadfence_system)

#undef KBUILD_CPU_FENCE

/* Polls usually sleep between two looks, so other threads run at once. */
__device__ inline void __nanosleep(unsigned int, KBUILD_CPU_CALLER) {
    kbuild_cpu::spin_call(KBUILD_CPU_CALL("__nanosleep"), KBUILD_CPU_SPIN_LIMIT);
}

#endif
