/* Addresses of shared memory, as integers.
 *
 * PTX has them in 32 or 64 bits, and programs keep them in `int`.  So they are offsets from the memory of the
 * block that runs: less than `statics` in its dynamic memory, and around `statics` in its static memory.  They
 * are aligned like pointers. */
#ifndef KBUILD_CPU_PTX_ADDRESSES_H
#define KBUILD_CPU_PTX_ADDRESSES_H

#include "../scheduling.h"
#include "../shared_memory.h"

#pragma GCC system_header

#if defined(KBUILD_CHECKED)
/* Instrumented blocks have their static memory elsewhere, and the runtime finds this variable by its name. */
inline KBUILD_CPU_SHARED char __kbuild_place_of_ptx_origin__ = 0;
#endif

namespace kbuild_cpu::ptx {

/* How much dynamic memory a block can have, and how far its static memory can be from the origin.  Pointers to
 * other memory are errors.  If they are that close, they stay what they are. */
constexpr kbuild_uint32 most_dynamic = 1u << 18, window = 1u << 26, statics = 1u << 30;

/* An address near the static memory of the block. */
__device__ inline kbuild_uintptr static_origin() {
#if defined(KBUILD_CHECKED)
    const auto __near = reinterpret_cast<kbuild_uintptr>(
        __builtin_addressof(in_block(__kbuild_place_of_ptx_origin__)));
#else
    const auto __near =
        reinterpret_cast<kbuild_uintptr>(&::kbuild_cpu_shared) + ::kbuild_cpu_shared.offset;
#endif
    return __near & ~kbuild_uintptr{0xFFFF};
}

__device__ inline kbuild_uint32 to_shared(kbuild_uintptr __pointer, const char *__function) {
    const kbuild_uintptr __dynamic =
        __pointer - reinterpret_cast<kbuild_uintptr>(::kbuild_cpu_shared.dynamic);
    if (__dynamic < most_dynamic) return static_cast<kbuild_uint32>(__dynamic);
    const kbuild_uintptr __static = __pointer - static_origin() + window;
    if (__static >= 2 * kbuild_uintptr{window})
        fail_call({__function, nullptr, 0, 32}, "the pointer does not point to shared memory");
    return static_cast<kbuild_uint32>(__static) + statics - window;
}
__device__ inline kbuild_uintptr from_shared(kbuild_uint32 __address, const char *__function) {
    if (__address < most_dynamic)
        return reinterpret_cast<kbuild_uintptr>(::kbuild_cpu_shared.dynamic) + __address;
    if (__address - (statics - window) >= 2 * window)
        fail_call({__function, nullptr, 0, 32}, "the address is not in shared memory");
    return static_origin() + __address - statics;
}

/* Operands are pointers or integers. */
template <class __T>
__device__ inline kbuild_uintptr to_address(const __T &__operand) {
    return (kbuild_uintptr)__operand;
}

template <class __To, class __T>
__device__ inline void convert_to_shared(__To &__to, const __T &__from) {
    __to = (__To) static_cast<kbuild_uintptr>(to_shared(to_address(__from), "cvta.to.shared"));
}
template <class __To, class __T>
__device__ inline void convert_from_shared(__To &__to, const __T &__from) {
    __to = (__To)from_shared(static_cast<kbuild_uint32>(to_address(__from)), "cvta.shared");
}
/* The addresses of global memory are pointers. */
template <class __To, class __T>
__device__ inline void convert_global(__To &__to, const __T &__from) {
    __to = (__To)to_address(__from);
}

}  // namespace kbuild_cpu::ptx

__device__ inline size_t KBUILD_NEEDS_BLOCK __cvta_generic_to_shared(const void *__pointer) {
    return kbuild_cpu::ptx::to_shared(reinterpret_cast<kbuild_uintptr>(__pointer),
                                      "__cvta_generic_to_shared");
}
__device__ inline void *KBUILD_NEEDS_BLOCK __cvta_shared_to_generic(size_t __address) {
    return reinterpret_cast<void *>(kbuild_cpu::ptx::from_shared(
        static_cast<kbuild_uint32>(__address), "__cvta_shared_to_generic"));
}
__device__ inline size_t __cvta_generic_to_global(const void *__pointer) {
    return reinterpret_cast<size_t>(__pointer);
}
__device__ inline void *__cvta_global_to_generic(size_t __address) {
    return reinterpret_cast<void *>(__address);
}

#endif
