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

/* Loops store this one for functions that read it.  It is static, so that compilers know that no pointer leads to
 * it.  The definition of the adapter unit takes the place of this weak one, and `used` says that code which they do
 * not see reads and writes it. */
__asm__(".weak threadIdx\n.hidden threadIdx");
static
    __attribute__((used, tls_model("local-dynamic"))) __thread uint3 threadIdx __asm__("threadIdx");
/* These are constants, which overloads can see, and thus not static: a static constant would be folded. */
KBUILD_CPU_BUILTIN(const uint3, blockIdx);
KBUILD_CPU_BUILTIN(const dim3, blockDim);
KBUILD_CPU_BUILTIN(const dim3, gridDim);

#undef KBUILD_CPU_BUILTIN

constexpr int warpSize = 32;

namespace kbuild_cpu {

/* Copies without an address. */
__attribute__((always_inline, artificial)) inline ::dim3 block_extent() {
    return ::dim3(::blockDim.x, ::blockDim.y, ::blockDim.z);
}
__attribute__((always_inline, artificial)) inline ::dim3 grid_extent() {
    return ::dim3(::gridDim.x, ::gridDim.y, ::gridDim.z);
}

/* The value, of which compilers know nothing. */
__attribute__((always_inline, artificial)) inline unsigned int unknown(unsigned int __value) {
    __asm__("" : "+r"(__value));
    return __value;
}

/* The index of a thread that runs in a loop, for functions that read it.  Something is stored at its end, too: where
 * all functions are inlined, no store of an index is left, and one of these, behind the loop. */
class stored_index {
public:
    __attribute__((always_inline, artificial)) explicit stored_index(const ::uint3 &__own) {
        store(__own.x, __own.y, __own.z);
    }
    __attribute__((always_inline, artificial)) ~stored_index() { store(0, 0, 0); }

private:
    __attribute__((always_inline, artificial)) static void store(unsigned int __x, unsigned int __y,
                                                                 unsigned int __z) {
        ::threadIdx.x = __x;
        ::threadIdx.y = __y;
        ::threadIdx.z = __z;
    }
};

}  // namespace kbuild_cpu

#endif
