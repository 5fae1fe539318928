/* Loads and stores with a cache hint, which are plain loads and stores on the CPU.  __ldcv reads
 * memory again each time. */
#ifndef KBUILD_CPU_CACHE_HINTS_H
#define KBUILD_CPU_CACHE_HINTS_H

#include "atomics/access.h"
#include "qualifiers.h"

#pragma GCC system_header

#define KBUILD_CPU_LOAD(name) \
    template <class __T> \
    __device__ inline __T name(const __T *__address) { \
        return *__address; \
    }
#define KBUILD_CPU_STORE(name) \
    template <class __T> \
    __device__ inline void name(__T *__address, kbuild_cpu::same_t<__T> __value) { \
        *__address = __value; \
    }

KBUILD_CPU_LOAD(__ldg)
KBUILD_CPU_LOAD(__ldca)
KBUILD_CPU_LOAD(__ldcg)
KBUILD_CPU_LOAD(__ldcs)
KBUILD_CPU_LOAD(__ldlu)
KBUILD_CPU_STORE(__stwb)
KBUILD_CPU_STORE(__stcg)
KBUILD_CPU_STORE(__stcs)
KBUILD_CPU_STORE(__stwt)

template <class __T>
__device__ inline __T KBUILD_YIELDS __ldcv(const __T *__address) {
    __asm__ volatile("" : : : "memory");
    const __T __value = *__address;
    kbuild_cpu::end_atomic(false);
    return __value;
}

#undef KBUILD_CPU_STORE
#undef KBUILD_CPU_LOAD

#endif
