/* Atomic functions for the types that CUDA supports, with relaxed order as in CUDA.
 *
 * The pointer alone determines the type, so that atomicAdd(&an_unsigned, 1) converts the 1 as
 * CUDA's overloads do. */
#ifndef KBUILD_CPU_ATOMICS_H
#define KBUILD_CPU_ATOMICS_H

#include "qualifiers.h"
#include "scheduling.h"

#include <string.h>
#include <type_traits>

#pragma GCC system_header

namespace kbuild_cpu {

/* T, if T is one of the types. */
template <class __T, class... __Types>
using one_of = std::enable_if_t<(std::is_same_v<__T, __Types> || ...), __T>;

/* T, in a form that prevents deduction from the argument. */
template <class __T>
struct same { using __type = __T; };
template <class __T>
using same_t = typename same<__T>::__type;

/* Replaces *address with update(*address), and returns the old value. */
template <class __T, class __Update>
__device__ inline __T atomic_update(__T *__address, __Update __update) {
    __T __old, __changed;
    __atomic_load(__address, &__old, __ATOMIC_RELAXED);
    do {
        __changed = __update(__old);
    } while (!__atomic_compare_exchange(__address, &__old, &__changed, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    if (memcmp(&__old, &__changed, sizeof __old) == 0) spin();
    return __old;
}

}  // namespace kbuild_cpu

/* Defines an atomic function with one operand, and its variants for other scopes.  On the CPU, all
 * scopes are the same.  The expression uses `__old` and `__value`. */
#define KBUILD_CPU_ATOMIC(name, expression, ...)                                                  \
    template <class __T>                                                                            \
    __device__ inline kbuild_cpu::one_of<__T, __VA_ARGS__> name(__T *__address,                         \
                                                              kbuild_cpu::same_t<__T> __value) {      \
        return kbuild_cpu::atomic_update(__address,                                                 \
                                         [__value](__T __old) { return static_cast<__T>(expression); });  \
    }                                                                                             \
    KBUILD_CPU_ATOMIC_SCOPE(name, block, __VA_ARGS__)                                             \
    KBUILD_CPU_ATOMIC_SCOPE(name, system, __VA_ARGS__)
#define KBUILD_CPU_ATOMIC_SCOPE(name, scope, ...)                                                 \
    template <class __T>                                                                            \
    __device__ inline kbuild_cpu::one_of<__T, __VA_ARGS__> name##_##scope(                          \
        __T *__address, kbuild_cpu::same_t<__T> __value) {                                                \
        return name(__address, __value);                                                              \
    }

KBUILD_CPU_ATOMIC(atomicAdd, __old + __value, int, unsigned int, unsigned long long, float, double)
KBUILD_CPU_ATOMIC(atomicSub, __old - __value, int, unsigned int)
KBUILD_CPU_ATOMIC(atomicExch, (static_cast<void>(__old), __value), int, unsigned int,
                  unsigned long long, float, double)
KBUILD_CPU_ATOMIC(atomicMin, __value < __old ? __value : __old, int, unsigned int, long long,
                  unsigned long long)
KBUILD_CPU_ATOMIC(atomicMax, __old < __value ? __value : __old, int, unsigned int, long long,
                  unsigned long long)
KBUILD_CPU_ATOMIC(atomicInc, __old >= __value ? 0 : __old + 1, unsigned int)
KBUILD_CPU_ATOMIC(atomicDec, __old == 0 || __old > __value ? __value : __old - 1, unsigned int)
KBUILD_CPU_ATOMIC(atomicAnd, __old & __value, int, unsigned int, unsigned long long)
KBUILD_CPU_ATOMIC(atomicOr, __old | __value, int, unsigned int, unsigned long long)
KBUILD_CPU_ATOMIC(atomicXor, __old ^ __value, int, unsigned int, unsigned long long)

#undef KBUILD_CPU_ATOMIC_SCOPE
#undef KBUILD_CPU_ATOMIC

#define KBUILD_CPU_ATOMIC_CAS(name)                                                              \
    template <class __T>                                                                           \
    __device__ inline kbuild_cpu::one_of<__T, unsigned short, int, unsigned int,                   \
                                         unsigned long long>                                     \
    name(__T *__address, kbuild_cpu::same_t<__T> __expected, kbuild_cpu::same_t<__T> __desired) {            \
        if (!__atomic_compare_exchange_n(__address, &__expected, __desired, false, __ATOMIC_RELAXED,   \
                                         __ATOMIC_RELAXED))                                      \
            kbuild_cpu::spin();                                                                  \
        return __expected;                                                                         \
    }

KBUILD_CPU_ATOMIC_CAS(atomicCAS)
KBUILD_CPU_ATOMIC_CAS(atomicCAS_block)
KBUILD_CPU_ATOMIC_CAS(atomicCAS_system)

#undef KBUILD_CPU_ATOMIC_CAS

#endif
