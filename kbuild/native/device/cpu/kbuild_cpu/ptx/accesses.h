/* ld and st: loads and stores.  Hints for caches have no effect.  Accesses with an order are atomic,
 * each element of a vector on its own. */
#ifndef KBUILD_CPU_PTX_ACCESSES_H
#define KBUILD_CPU_PTX_ACCESSES_H

#include "../atomics/access.h"
#include "addresses.h"

#include <string.h>

#pragma GCC system_header

namespace kbuild_cpu::ptx {

/* An access without an order. */
constexpr int weak = -1;

/* Registers of another size have integers.  A load extends the value by its type, and a store drops
 * the upper bits. */
template <class __To, class __From>
__device__ inline void move_register(__To &__to, const __From &__from) {
    if constexpr (sizeof(__To) == sizeof(__From))
        __to = __builtin_bit_cast(__To, __from);
    else
        __to = static_cast<__To>(__from);
}

template <class __T, bool __IsShared, class __Address>
__device__ inline __T *find_element(const char *__function, const __Address &__address,
                                    long long __offset) {
    const kbuild_uintptr __sum = to_address(__address) + static_cast<kbuild_uintptr>(__offset);
    return reinterpret_cast<__T *>(
        __IsShared ? from_shared(static_cast<kbuild_uint32>(__sum), __function) : __sum);
}

template <class __T, bool __IsShared, int __order, class __Address, class... __Registers>
__attribute__((always_inline)) __device__ inline void load(const __Address &__address,
                                                           long long __offset,
                                                           __Registers &...__registers) {
    __T __values[sizeof...(__registers)];
    const __T *const __from = find_element<__T, __IsShared>("ld", __address, __offset);
    if constexpr (__order == weak)
        memcpy(__values, __from, sizeof __values);
    else
        for (unsigned __i = 0; __i < sizeof...(__registers); ++__i)
            __values[__i] = atomic_load(__from + __i, __order);
    const __T *__next = __values;
    (move_register(__registers, *__next++), ...);
}

template <class __T, bool __IsShared, int __order, class __Address, class... __Registers>
__attribute__((always_inline)) __device__ inline void store(const __Address &__address,
                                                            long long __offset,
                                                            const __Registers &...__registers) {
    __T __values[sizeof...(__registers)];
    __T *const __to = find_element<__T, __IsShared>("st", __address, __offset);
    __T *__next = __values;
    (move_register(*__next++, __registers), ...);
    if constexpr (__order == weak)
        memcpy(__to, __values, sizeof __values);
    else
        for (unsigned __i = 0; __i < sizeof...(__registers); ++__i)
            atomic_store(__to + __i, __values[__i], __order);
}

template <class __Address>
__device__ inline void prefetch(const __Address &) {}

}  // namespace kbuild_cpu::ptx

#endif
