/* Controls a profiler, which does not exist. */
#ifndef KBUILD_CPU_CUDA_PROFILER_API_H
#define KBUILD_CPU_CUDA_PROFILER_API_H

#include "kbuild_cpu/language.h"

#if !defined(KBUILD_PROFILER_API)
#define KBUILD_PROFILER_API static inline
#endif
#if defined(KBUILD_MIXED) || !defined(KBUILD_DEVICE_CODE)
KBUILD_PROFILER_API cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
KBUILD_PROFILER_API cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
#endif

#endif
