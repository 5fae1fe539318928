/* Barriers and memory fences. */
#ifndef KBUILD_CPU_BARRIER_H
#define KBUILD_CPU_BARRIER_H

#include <kbuild/detail/cpu_device_api.h>

#include "qualifiers.h"

#pragma GCC system_header

/* The image's attach function sets the first one, and each launch sets the second one. */
extern "C" {
extern __attribute__((visibility("hidden"))) const struct kbuild_cpu_device_api *kbuild_cpu_api;
extern KBUILD_CPU_IN_IMAGE __thread void *const kbuild_cpu_runner;
}

__device__ inline void __syncthreads() { kbuild_cpu_api->barrier(kbuild_cpu_runner); }

/* Returns the number of threads whose predicate is true.  The total only grows, so no thread needs
 * to reset it.  The result is the growth since the block's last barrier of this kind. */
__device__ inline int __syncthreads_count(int __predicate) {
    __shared__ unsigned int __total, __total_before;
    __total += __predicate != 0;
    __syncthreads();
    const unsigned int __now = __total;
    const unsigned int __count = __now - __total_before;
    __syncthreads();
    __total_before = __now;
    return static_cast<int>(__count);
}
__device__ inline int __syncthreads_or(int __predicate) {
    return __syncthreads_count(__predicate) != 0;
}
__device__ inline int __syncthreads_and(int __predicate) {
    return __syncthreads_count(__predicate == 0) == 0;
}

__device__ inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__device__ inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__device__ inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif
