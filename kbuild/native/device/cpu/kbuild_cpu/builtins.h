/* threadIdx, blockIdx, blockDim, gridDim, and warpSize.
 *
 * The image's adapter unit defines the variables.  In a kernel's body, constants with the same names
 * hide them; see threads.h.  Device functions use the variables.  For a block, all but threadIdx are
 * constants, so the compiler can keep them in registers across calls and barriers. */
#ifndef KBUILD_CPU_BUILTINS_H
#define KBUILD_CPU_BUILTINS_H

#include "vector_types.h"

#pragma GCC system_header

/* All four are in the same image, so with this TLS model one call finds all of them. */
#define KBUILD_CPU_BUILTIN(type, name) \
    extern __attribute__((visibility("hidden"), tls_model("local-dynamic"))) __thread type name

KBUILD_CPU_BUILTIN(uint3, threadIdx);
KBUILD_CPU_BUILTIN(const uint3, blockIdx);
KBUILD_CPU_BUILTIN(const dim3, blockDim);
KBUILD_CPU_BUILTIN(const dim3, gridDim);

#undef KBUILD_CPU_BUILTIN

constexpr int warpSize = 32;

#endif
