/* Atomic functions for the types that CUDA supports, with relaxed order as in CUDA.
 *
 * The pointer alone determines the type, so that atomicAdd(&an_unsigned, 1) converts the 1 as
 * CUDA's overloads do.  On the CPU, all scopes are the same. */
#ifndef KBUILD_CPU_ATOMICS_H
#define KBUILD_CPU_ATOMICS_H

#include "atomics/access.h"
#include "qualifiers.h"
#include "vector_types.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* T, if T has 16 bytes and their alignment. */
template <class __T>
using wide_t = enable_if_t<sizeof(__T) == 16 && alignof(__T) == 16 && !is_same_v<__T, float4>, __T>;

}  // namespace kbuild_cpu

/* Defines a function for the given types, for one scope and for all. */
#define KBUILD_CPU_ATOMIC_OF_SCOPE(name, scope, operation, order, ...) \
    template <class __T> \
    __device__ inline kbuild_cpu::one_of<__T, __VA_ARGS__> KBUILD_YIELDS name##scope( \
        __T *__address, kbuild_cpu::same_t<__T> __value) { \
        const kbuild_cpu::atomic_scope##scope __scope; \
        return kbuild_cpu::operation(__address, __value, order); \
    }
#define KBUILD_CPU_ATOMIC(name, operation, ...) \
    KBUILD_CPU_ATOMIC_OF_SCOPE(name, , operation, __ATOMIC_RELAXED, __VA_ARGS__) \
    KBUILD_CPU_ATOMIC_OF_SCOPE(name, _block, operation, kbuild_cpu::only_block, __VA_ARGS__) \
    KBUILD_CPU_ATOMIC_OF_SCOPE(name, _system, operation, __ATOMIC_RELAXED, __VA_ARGS__) \
    KBUILD_CPU_ATOMIC_OF_BLOCK(name)
/* What regions call with shared memory.  A function of the user takes the pointer. */
#define KBUILD_CPU_ATOMIC_OF_BLOCK(name) \
    template <class __T> \
    __device__ inline auto name(kbuild_cpu::block_pointer<__T> __of, \
                                kbuild_cpu::same_t<__T> __value) \
        -> decltype(name##_block(__of.__address, __value)) { \
        return name##_block(__of.__address, __value); \
    }

namespace kbuild_cpu {

/* A pointer to memory that only threads of the block know. */
template <class __T>
struct block_pointer {
    __T *__address;
    __device__ constexpr operator __T *() const { return __address; }
};
template <class __T>
struct element_of {
    using __type = __T;
};
template <class __T>
struct element_of<__T &> : element_of<__T> {};
template <class __T>
struct element_of<__T &&> : element_of<__T> {};
template <class __T>
struct element_of<__T[]> : element_of<__T> {};
template <class __T, decltype(sizeof(0)) __Count>
struct element_of<__T[__Count]> : element_of<__T> {};
/* Such a pointer to an element of a shared object, or the pointer itself if it leads elsewhere: the object can be a
 * pointer, or have operators.  An offset must be a number. */
template <class __Object, class __Offset = int, class __T>
__device__ constexpr auto of_block(__T *__address) {
    if constexpr (is_same_v<typename element_of<__Object>::__type, __T> &&
                  is_integral_v<remove_cv_t<remove_reference_t<__Offset>>>)
        return block_pointer<__T>{__address};
    else
        return __address;
}

__device__ inline unsigned int atomic_increment(unsigned int *__address, unsigned int __limit,
                                                int __order) {
    return atomic_update(
        __address, [__limit](unsigned int __old) { return __old >= __limit ? 0 : __old + 1; },
        __order);
}
__device__ inline unsigned int atomic_decrement(unsigned int *__address, unsigned int __limit,
                                                int __order) {
    return atomic_update(
        __address,
        [__limit](unsigned int __old) {
            return __old == 0 || __old > __limit ? __limit : __old - 1;
        },
        __order);
}

}  // namespace kbuild_cpu

KBUILD_CPU_ATOMIC(atomicAdd, atomic_add, int, unsigned int, unsigned long long, float, double)
KBUILD_CPU_ATOMIC(atomicSub, atomic_subtract, int, unsigned int)
KBUILD_CPU_ATOMIC(atomicExch, atomic_exchange, int, unsigned int, unsigned long long, float, double)
KBUILD_CPU_ATOMIC(atomicMin, atomic_min, int, unsigned int, long long, unsigned long long)
KBUILD_CPU_ATOMIC(atomicMax, atomic_max, int, unsigned int, long long, unsigned long long)
KBUILD_CPU_ATOMIC(atomicInc, atomic_increment, unsigned int)
KBUILD_CPU_ATOMIC(atomicDec, atomic_decrement, unsigned int)
KBUILD_CPU_ATOMIC(atomicAnd, atomic_and, int, unsigned int, long long, unsigned long long)
KBUILD_CPU_ATOMIC(atomicOr, atomic_or, int, unsigned int, long long, unsigned long long)
KBUILD_CPU_ATOMIC(atomicXor, atomic_xor, int, unsigned int, long long, unsigned long long)

#undef KBUILD_CPU_ATOMIC
#undef KBUILD_CPU_ATOMIC_OF_SCOPE
#undef KBUILD_CPU_ATOMIC_OF_BLOCK

/* The additions to vectors are atomic for each element.  The functions for 16 bytes accept any type
 * of that size. */
#define KBUILD_CPU_ATOMIC_FOR_SCOPE(scope) \
    __device__ inline float2 KBUILD_YIELDS atomicAdd##scope(float2 *__address, float2 __value) { \
        const kbuild_cpu::atomic_scope##scope __scope; \
        return {kbuild_cpu::atomic_add(&__address->x, __value.x), \
                kbuild_cpu::atomic_add(&__address->y, __value.y)}; \
    } \
    __device__ inline float4 KBUILD_YIELDS atomicAdd##scope(float4 *__address, float4 __value) { \
        const kbuild_cpu::atomic_scope##scope __scope; \
        return {kbuild_cpu::atomic_add(&__address->x, __value.x), \
                kbuild_cpu::atomic_add(&__address->y, __value.y), \
                kbuild_cpu::atomic_add(&__address->z, __value.z), \
                kbuild_cpu::atomic_add(&__address->w, __value.w)}; \
    } \
    template <class __T> \
    __device__ inline kbuild_cpu::wide_t<__T> KBUILD_YIELDS atomicExch##scope( \
        __T *__address, kbuild_cpu::same_t<__T> __value) { \
        const kbuild_cpu::atomic_scope##scope __scope; \
        return kbuild_cpu::atomic_exchange(__address, __value); \
    } \
    template <class __T> \
    __device__ inline kbuild_cpu::wide_t<__T> KBUILD_YIELDS atomicCAS##scope( \
        __T *__address, kbuild_cpu::same_t<__T> __expected, kbuild_cpu::same_t<__T> __desired) { \
        const kbuild_cpu::atomic_scope##scope __scope; \
        kbuild_cpu::atomic_compare_exchange(__address, __builtin_addressof(__expected), \
                                            __desired); \
        return __expected; \
    } \
    template <class __T> \
    __device__ inline kbuild_cpu::one_of<__T, unsigned short, int, unsigned int, \
                                         unsigned long long> \
        KBUILD_YIELDS atomicCAS##scope(__T *__address, kbuild_cpu::same_t<__T> __expected, \
                                       kbuild_cpu::same_t<__T> __desired) { \
        const kbuild_cpu::atomic_scope##scope __scope; \
        kbuild_cpu::atomic_compare_exchange(__address, __builtin_addressof(__expected), \
                                            __desired); \
        return __expected; \
    }

/* Nobody calls this.  Where the name atomicCAS finds it, it does not mean a function of the user. */
template <class __T>
kbuild_cpu::conditional_t<
    true, kbuild_cpu::updated,
    kbuild_cpu::one_of<__T, unsigned short, int, unsigned int, unsigned long long>>
atomicCAS(__T *, __T, __T, kbuild_cpu::update);

KBUILD_CPU_ATOMIC_FOR_SCOPE()
KBUILD_CPU_ATOMIC_FOR_SCOPE(_block)
KBUILD_CPU_ATOMIC_FOR_SCOPE(_system)

#undef KBUILD_CPU_ATOMIC_FOR_SCOPE

#endif
