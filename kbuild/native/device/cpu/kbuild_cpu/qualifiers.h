/* Function and variable qualifiers, as attributes of gcc and clang. */
#ifndef KBUILD_CPU_QUALIFIERS_H
#define KBUILD_CPU_QUALIFIERS_H

#pragma GCC system_header

/* The backend finds kernels in the section __patchable_function_entries, which this
 * attribute makes for static, namespaced and template functions alike. */
#define __global__ \
    __attribute__((patchable_function_entry(1, 1), used, visibility("default")))

/* Hidden, so that what is left with default visibility is host code that does not belong
 * into a kernel source; the backend reports it. */
#define __device__ __attribute__((visibility("hidden")))
#define __constant__ __attribute__((visibility("hidden")))
/* Told apart by its section, because the host reaches it by another way. */
#define __managed__ __attribute__((visibility("hidden"), section(".data.kbuild_managed")))
#define __host__

/* gcc warns of a visibility on what is static; here that is all right. For the rest of the
 * source, because it is there that the qualifiers are used. */
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattributes"
#endif

/* All device threads of a block run on one OS thread, so thread-local storage is the
 * block's. Like CUDA's, it has no dynamic initialization; gcc has to be told, or it calls
 * an initialization function for every use of an `extern` array. Told so, clang demands an
 * initializer of every class type; it calls a function only if there is one to call, which
 * for what is `extern` is the image's to say. */
#if defined(__clang__)
#define __shared__ KBUILD_CPU_IN_IMAGE thread_local
#else
#define __shared__ KBUILD_CPU_IN_IMAGE __constinit thread_local
#endif
#define KBUILD_CPU_IN_IMAGE __attribute__((visibility("hidden"), tls_model("local-dynamic")))

#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

#define __forceinline__ inline __attribute__((always_inline))
/* Only a hint, and nothing here: as an attribute it would end up in the middle of the C++
 * library's own __attribute__((__noinline__)). */
#define __noinline__

#endif
