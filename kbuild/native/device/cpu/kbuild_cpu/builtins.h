/* threadIdx, blockIdx, blockDim, gridDim, and warpSize.
 *
 * The image's adapter unit defines the variables.  In a kernel's body, constants with the same names
 * hide them; see threads.h.  Device functions use the variables.  For a block, all but threadIdx are
 * constants, so the compiler can keep them in registers across calls and barriers. */
#ifndef KBUILD_CPU_BUILTINS_H
#define KBUILD_CPU_BUILTINS_H

#include <kbuild/detail/cpu_device_api.h>

#include "vector_types.h"

#pragma GCC system_header

/* All four are in the same image, so with this TLS model one call finds all of them. */
#define KBUILD_CPU_BUILTIN(type, name) \
    extern __attribute__((visibility("hidden"), tls_model("local-dynamic"))) __thread type name

/* Loops store this one for functions that read it.  It is static, so that compilers know that no pointer leads to
 * it.  The variable of the adapter unit takes the place of this weak one.  Device code is compiled with
 * -fdata-sections, so that gcc for AArch64 refers to it by its symbol, and not by a place in a section.
 *
 * For programs, it is a constant, which overloads and deduced types can see.  Compilers keep the value of a constant
 * variable in a register while they store another one, but not that of a constant member.  So the variable has no
 * name of its own, and `threadIdx` is the name of its member.  A structured binding of an earlier standard than
 * C++20 cannot be static; compilers accept this one in system headers. */
namespace kbuild_cpu {
struct index_of_thread {
    const ::uint3 threadIdx;
};
}  // namespace kbuild_cpu
__asm__(".weak " KBUILD_CPU_INDEX_SYMBOL "\n.hidden " KBUILD_CPU_INDEX_SYMBOL);
#if defined(__clang__)
[[gnu::used]]
#endif
[[gnu::tls_model("local-dynamic")]] static thread_local auto [threadIdx] =
    ::kbuild_cpu::index_of_thread{};
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

__attribute__((always_inline, artificial)) inline void store_index(unsigned int __x,
                                                                   unsigned int __y,
                                                                   unsigned int __z) {
    ::uint3 &__index = const_cast<::uint3 &>(::threadIdx);
    __index.x = __x;
    __index.y = __y;
    __index.z = __z;
}
#if !defined(__clang__)
/* Code that the compiler does not see reads and writes the index: for all that it knows, by calls of these.  For gcc,
 * a variable with the attribute `used` would keep its address, which store_index seems to take. */
__attribute__((used, visibility("hidden"))) inline unsigned int read_index() {
    return ::threadIdx.x + ::threadIdx.y + ::threadIdx.z;
}
__attribute__((used, visibility("hidden"))) inline void write_index(unsigned int __value) {
    const_cast<::uint3 &>(::threadIdx) = {__value, __value, __value};
}
#endif

/* The index of a thread that runs in a loop, for functions that read it.  Something is stored at its end, too: where
 * all functions are inlined, no store of an index is left, and one of these, behind the loop. */
class stored_index {
public:
    __attribute__((always_inline, artificial)) explicit stored_index(const ::uint3 &__own) {
        store_index(__own.x, __own.y, __own.z);
    }
    __attribute__((always_inline, artificial)) ~stored_index() { store_index(0, 0, 0); }
};

}  // namespace kbuild_cpu

#endif
