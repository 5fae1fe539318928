/* Qualifiers in host code, for headers that kernel sources and host files share.  As with CUDA's own
 * headers, they mean nothing to a C or C++ compiler, and a program can define them before. */
#ifndef KBUILD_CPU_HOST_QUALIFIERS_H
#define KBUILD_CPU_HOST_QUALIFIERS_H

#pragma GCC system_header

#if !defined(__host__)
#define __host__
#endif
#if !defined(__device__)
#define __device__
#endif
#if !defined(__global__)
#define __global__
#endif
#if !defined(__shared__)
#define __shared__
#endif
#if !defined(__constant__)
#define __constant__
#endif
#if !defined(__managed__)
#define __managed__
#endif
#if !defined(__grid_constant__)
#define __grid_constant__
#endif
/* CUDA's headers define these two only for nvcc. */
#if !defined(__launch_bounds__)
#define __launch_bounds__(...)
#endif
#if !defined(__cluster_dims__)
#define __cluster_dims__(...)
#endif

#undef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __no_return__ __attribute__((noreturn))

#endif
