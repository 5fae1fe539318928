/* Atomic functions, for the types that CUDA has them for; relaxed, as in CUDA.
 *
 * Each takes its type from the pointer alone, so that atomicAdd(&an_unsigned, 1) converts
 * the 1 as a call of CUDA's overloads does.
 */
#ifndef KBUILD_CPU_ATOMICS_H
#define KBUILD_CPU_ATOMICS_H

#include "qualifiers.h"

#include <type_traits>

#pragma GCC system_header

namespace kbuild_cpu {

/* T, where T is one of the types. */
template <class T, class... Types>
using one_of = std::enable_if_t<(std::is_same_v<T, Types> || ...), T>;

/* T, but not to be deduced from the argument. */
template <class T>
struct same { using type = T; };
template <class T>
using same_t = typename same<T>::type;

/* Replaces *address by update(*address), and returns the old value. */
template <class T, class Update>
__device__ inline T atomic_update(T *address, Update update) {
    T old, changed;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    do {
        changed = update(old);
    } while (!__atomic_compare_exchange(address, &old, &changed, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return old;
}

}  // namespace kbuild_cpu

/* Defines an atomic function of one operand, and its variants for other scopes: on the
 * CPU, memory is one. `old` and `value` are the operands in the expression. */
#define KBUILD_CPU_ATOMIC(name, expression, ...)                                                  \
    template <class T>                                                                            \
    __device__ inline kbuild_cpu::one_of<T, __VA_ARGS__> name(T *address,                         \
                                                              kbuild_cpu::same_t<T> value) {      \
        return kbuild_cpu::atomic_update(address,                                                 \
                                         [value](T old) { return static_cast<T>(expression); });  \
    }                                                                                             \
    KBUILD_CPU_ATOMIC_SCOPE(name, block, __VA_ARGS__)                                             \
    KBUILD_CPU_ATOMIC_SCOPE(name, system, __VA_ARGS__)
#define KBUILD_CPU_ATOMIC_SCOPE(name, scope, ...)                                                 \
    template <class T>                                                                            \
    __device__ inline kbuild_cpu::one_of<T, __VA_ARGS__> name##_##scope(                          \
        T *address, kbuild_cpu::same_t<T> value) {                                                \
        return name(address, value);                                                              \
    }

KBUILD_CPU_ATOMIC(atomicAdd, old + value, int, unsigned int, unsigned long long, float, double)
KBUILD_CPU_ATOMIC(atomicSub, old - value, int, unsigned int)
KBUILD_CPU_ATOMIC(atomicExch, (static_cast<void>(old), value), int, unsigned int,
                  unsigned long long, float, double)
KBUILD_CPU_ATOMIC(atomicMin, value < old ? value : old, int, unsigned int, long long,
                  unsigned long long)
KBUILD_CPU_ATOMIC(atomicMax, old < value ? value : old, int, unsigned int, long long,
                  unsigned long long)
KBUILD_CPU_ATOMIC(atomicInc, old >= value ? 0 : old + 1, unsigned int)
KBUILD_CPU_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1, unsigned int)
KBUILD_CPU_ATOMIC(atomicAnd, old & value, int, unsigned int, unsigned long long)
KBUILD_CPU_ATOMIC(atomicOr, old | value, int, unsigned int, unsigned long long)
KBUILD_CPU_ATOMIC(atomicXor, old ^ value, int, unsigned int, unsigned long long)

#undef KBUILD_CPU_ATOMIC_SCOPE
#undef KBUILD_CPU_ATOMIC

#define KBUILD_CPU_ATOMIC_CAS(name)                                                              \
    template <class T>                                                                           \
    __device__ inline kbuild_cpu::one_of<T, unsigned short, int, unsigned int,                   \
                                         unsigned long long>                                     \
    name(T *address, kbuild_cpu::same_t<T> expected, kbuild_cpu::same_t<T> desired) {            \
        __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED,        \
                                    __ATOMIC_RELAXED);                                           \
        return expected;                                                                         \
    }

KBUILD_CPU_ATOMIC_CAS(atomicCAS)
KBUILD_CPU_ATOMIC_CAS(atomicCAS_block)
KBUILD_CPU_ATOMIC_CAS(atomicCAS_system)

#undef KBUILD_CPU_ATOMIC_CAS

#endif
