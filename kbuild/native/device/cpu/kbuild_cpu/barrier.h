/* Barriers and memory fences. */
#ifndef KBUILD_CPU_BARRIER_H
#define KBUILD_CPU_BARRIER_H

#include <kbuild/cpu_image.h>

#include "qualifiers.h"

#pragma GCC system_header

/* The first is set by the image's attach function, the second at each launch. */
extern "C" {
extern __attribute__((visibility("hidden"))) const struct kbuild_cpu_device_api *kbuild_cpu_api;
extern KBUILD_CPU_IN_IMAGE __thread void *const kbuild_cpu_runner;
}

__device__ inline void __syncthreads() { kbuild_cpu_api->barrier(kbuild_cpu_runner); }

/* The number of threads whose predicate holds. The total only ever grows, so that no
 * thread need reset it: what counts is the growth since the block's last such barrier. */
__device__ inline int __syncthreads_count(int predicate) {
    __shared__ unsigned int total, total_before;
    total += predicate != 0;
    __syncthreads();
    const unsigned int now = total;
    const unsigned int count = now - total_before;
    __syncthreads();
    total_before = now;
    return static_cast<int>(count);
}
__device__ inline int __syncthreads_or(int predicate) {
    return __syncthreads_count(predicate) != 0;
}
__device__ inline int __syncthreads_and(int predicate) {
    return __syncthreads_count(predicate == 0) == 0;
}

__device__ inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__device__ inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__device__ inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif
