/* Function and variable qualifiers, as attributes of gcc and clang. */
#ifndef KBUILD_CPU_QUALIFIERS_H
#define KBUILD_CPU_QUALIFIERS_H

#include "annotations.h"

#pragma GCC system_header

/* The backend finds kernels in the section __patchable_function_entries.  This attribute creates
 * an entry there for every function, also for static functions, templates, and members of
 * namespaces. */
#if !defined(KBUILD_MARK_KERNELS) && !defined(KBUILD_DEVICE_CODE) && !defined(KBUILD_MIXED)
/* A C++ compiler reads a header that kernels and host files share. */
#include "host/qualifiers.h"
#define KBUILD_CPU_HOST_FILE
#elif defined(KBUILD_MARK_KERNELS)
/* The backend preprocesses sources with this macro, and finds kernels by this word.  Then it defines
 * the word as the attribute; see mixed/kernel_text.h.  The same holds for launch bounds. */
#define __global__ __kbuild_global__
#define __launch_bounds__(...) __kbuild_launch_bounds__(__VA_ARGS__)
#define __cluster_dims__(...) __kbuild_cluster_dims__(__VA_ARGS__)
#define __grid_constant__ __kbuild_grid_constant__
#else
#define __global__ __attribute__((patchable_function_entry(1, 1), used, visibility("default")))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#endif

#if !defined(KBUILD_CPU_HOST_FILE)
/* Hidden, so that only host code has default visibility.  Host code does not belong in a kernel
 * source, and the backend reports it. */
#define __device__ __attribute__((visibility("hidden")))
#define __constant__ __attribute__((visibility("hidden")))
/* A separate section identifies managed variables, because the host accesses them differently. */
#define __managed__ __attribute__((visibility("hidden"), section(".data.kbuild_managed")))
#define __host__
#endif

/* gcc warns about visibility attributes on static entities, which are intentional here.  This
 * applies to the rest of the source, which uses the qualifiers. */
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattributes"
#endif

/* The place of a variable in the memory of every block; see shared_memory.h.  All device threads of a
 * block run on one OS thread.  Like CUDA's shared memory, thread-local storage without dynamic
 * initialization starts with no constructor.  With __constinit, clang requires an initializer for
 * every class type.  Without it, kbuild finds the initialization function. */
#if defined(__clang__)
#define KBUILD_CPU_SHARED KBUILD_CPU_IN_IMAGE thread_local
#else
#define KBUILD_CPU_SHARED KBUILD_CPU_IN_IMAGE __constinit thread_local
#endif
#if defined(KBUILD_MIXED) || defined(KBUILD_MARK_KERNELS)
/* The backend finds declarations by this word; see mixed/kernel_text.h. */
#define __shared__ __kbuild_shared__
#elif !defined(KBUILD_CPU_HOST_FILE)
#define __shared__ KBUILD_CPU_SHARED
#endif
#define KBUILD_CPU_IN_IMAGE __attribute__((visibility("hidden"), tls_model("local-dynamic")))

/* For a function that accesses the runtime's own memory. */
#if defined(KBUILD_CHECKED)
#define KBUILD_CPU_UNCHECKED __attribute__((noinline, no_sanitize("thread")))
#else
#define KBUILD_CPU_UNCHECKED
#endif

#define __maxnreg__(registers)
#define __inline_hint__
/* Launches of such a kernel count clusters instead of blocks. */
#define __block_size__(...) \
    _Pragma("GCC error \"kbuild: the cpu backend does not support __block_size__\"")
/* A lambda with __device__ is an ordinary one here. */
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#define __align__(bytes) __attribute__((aligned(bytes)))

/* What NVIDIA's own headers use.  Public code copies declarations from them. */
#define __builtin_align__(bytes) __align__(bytes)
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_surface_type__
#define __device_builtin_texture_type__
#define __local_maxnreg__(registers)
#define __no_return__ __attribute__((noreturn))
#define __nv_pure__ __attribute__((pure))
#define __specialization_static
#define __thread__ __thread
#define __export__
#define __import__
#define __cdecl
#define CUDARTAPI_CDECL
#define CUDART_DEVICE __device__
#define CUDA_IPC_HANDLE_SIZE 64
/* The one architecture has no features of its own. */
#define __CUDA_ARCH_HAS_FEATURE__(feature) __CUDA_ARCH_FEAT_##feature
#define __CUDA_HAS_ARCH_FAMILY_SPECIFIC(number) 0
#define __CUDA_HAS_ARCH_SPECIFIC(number) 0
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1

#define __forceinline__ inline __attribute__((always_inline))
/* Only a hint.  It is empty because the C++ library uses __attribute__((__noinline__)), which an
 * attribute here would break. */
#define __noinline__

#undef KBUILD_CPU_HOST_FILE

#endif
