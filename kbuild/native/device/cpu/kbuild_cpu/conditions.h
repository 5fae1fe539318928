/* The conditions of graphs.  A handle is the address of the value. */
#ifndef KBUILD_CPU_CONDITIONS_H
#define KBUILD_CPU_CONDITIONS_H

#include "qualifiers.h"

#pragma GCC system_header

typedef unsigned long long cudaGraphConditionalHandle;

KBUILD_CPU_UNCHECKED __device__ inline void cudaGraphSetConditional(
    cudaGraphConditionalHandle __handle, unsigned int __value) {
    __atomic_store_n(reinterpret_cast<unsigned int *>(__handle), __value, __ATOMIC_RELAXED);
}

#endif
