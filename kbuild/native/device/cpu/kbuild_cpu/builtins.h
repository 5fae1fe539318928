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

/* Loops store threadIdx for functions that read it.  The variables are static, so that compilers know that no pointer
 * leads to them.  Those of the adapter unit take the place of these weak ones.  Device code is compiled with
 * -fdata-sections, so that gcc for AArch64 refers to them by their symbols, and not by places in a section.  All four
 * are in the same image, so with this TLS model one call finds all of them.
 *
 * For programs, they are constants, which overloads and deduced types can see.  Compilers know the values of static
 * constants, but not those of constant members.  So the variables have no names of their own, and `threadIdx` is the
 * name of a member.  A structured binding of an earlier standard than C++20 cannot be static; compilers accept these
 * in system headers. */
#define KBUILD_CPU_BUILTIN(type, name, holder, symbol) \
    namespace kbuild_cpu { \
    struct holder { \
        const type name; \
    }; \
    } \
    __asm__(".weak " symbol "\n.hidden " symbol); \
    [[gnu::tls_model("local-dynamic")]] static thread_local auto [name] = ::kbuild_cpu::holder{};

KBUILD_CPU_BUILTIN(::uint3, threadIdx, index_of_thread, KBUILD_CPU_INDEX_SYMBOL)
KBUILD_CPU_BUILTIN(::uint3, blockIdx, index_of_block, KBUILD_CPU_BLOCK_SYMBOL)
KBUILD_CPU_BUILTIN(::dim3, blockDim, extent_of_block, KBUILD_CPU_EXTENT_SYMBOL)
KBUILD_CPU_BUILTIN(::dim3, gridDim, extent_of_grid, KBUILD_CPU_GRID_SYMBOL)

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
/* Code that the compiler does not see reads and writes the index, and writes the others: for all that it knows, by
 * calls of these.  A variable with the attribute `used` would keep its address, as if a pointer led to it.  clang would
 * make variables of the members, without the names that the adapter unit replaces, unless an axis is unknown. */
#if defined(__clang__)
__attribute__((used, visibility("hidden"))) inline unsigned int read_launch(int __axis) {
    return (&::threadIdx.x)[__axis] + (&::blockIdx.x)[__axis] + (&::blockDim.x)[__axis] +
           (&::gridDim.x)[__axis];
}
#else
__attribute__((used, visibility("hidden"))) inline unsigned int read_launch() {
    return ::threadIdx.x + ::threadIdx.y + ::threadIdx.z;
}
#endif
__attribute__((used, visibility("hidden"))) inline void write_launch(unsigned int __value) {
    store_index(__value, __value, __value);
    const_cast<unsigned int &>(::blockIdx.x) = const_cast<unsigned int &>(::blockIdx.y) =
        const_cast<unsigned int &>(::blockIdx.z) = __value;
    const_cast<unsigned int &>(::blockDim.x) = const_cast<unsigned int &>(::blockDim.y) =
        const_cast<unsigned int &>(::blockDim.z) = __value;
    const_cast<unsigned int &>(::gridDim.x) = const_cast<unsigned int &>(::gridDim.y) =
        const_cast<unsigned int &>(::gridDim.z) = __value;
}

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
