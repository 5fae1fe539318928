/* What Thrust's systems for devices need of the host API: memory that it knows as device memory, and the
 * end of all kernels. */
#ifndef KBUILD_CPU_CCCL_DEVICE_MEMORY_H
#define KBUILD_CPU_CCCL_DEVICE_MEMORY_H

#include <stdlib.h>
#include <new>
#include <type_traits>

/* Kernels have only the other kind. */
#if !defined(KBUILD_MIXED_DEVICE) && !defined(KBUILD_DEVICE_CODE)
#include <cuda_runtime_api.h>
#endif

#pragma GCC system_header

namespace kbuild_cpu {

#if !defined(KBUILD_MIXED_DEVICE) && !defined(KBUILD_DEVICE_CODE)
inline void *allocate_device(size_t __bytes) {
    void *__address = nullptr;
    return cudaMalloc(&__address, __bytes) == cudaSuccess ? __address : nullptr;
}
inline void free_device(void *__address) { (void)cudaFree(__address); }
/* Thrust also calls this for each element that it accesses through a reference.  An error stays until
 * the program reads it. */
inline void wait_for_device() {
    static const unsigned *const __unfinished = kbuild_cpu_unfinished_operations();
    if (__atomic_load_n(__unfinished, __ATOMIC_ACQUIRE) != 0) (void)cudaDeviceSynchronize();
}
#else
inline void *allocate_device(size_t __bytes) { return malloc(__bytes); }
inline void free_device(void *__address) { free(__address); }
inline void wait_for_device() {}
#endif

}  // namespace kbuild_cpu

#endif
