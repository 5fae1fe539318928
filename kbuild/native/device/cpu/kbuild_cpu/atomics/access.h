/* Atomic access to memory.  Every atomic operation of device code is one of these functions. */
#ifndef KBUILD_CPU_ATOMICS_ACCESS_H
#define KBUILD_CPU_ATOMICS_ACCESS_H

#include "../qualifiers.h"

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

/* Each atomic operation calls this first. */
__device__ inline void begin_atomic() {}

template <class __T>
constexpr bool has_16_bytes = sizeof(__T) == 16;

/* Replaces 16 bytes if they are the expected ones, and returns the old ones.  Every x86-64 machine
 * has the instruction, but compilers do not use it for the oldest level. */
__device__ inline unsigned __int128 compare_exchange_16(unsigned __int128 *__address,
                                                        unsigned __int128 __expected,
                                                        unsigned __int128 __desired) {
#if defined(__x86_64__)
    unsigned long long __low = static_cast<unsigned long long>(__expected);
    unsigned long long __high = static_cast<unsigned long long>(__expected >> 64);
    __asm__ volatile("lock cmpxchg16b %0"
                     : "+m"(*__address), "+a"(__low), "+d"(__high)
                     : "b"(static_cast<unsigned long long>(__desired)),
                       "c"(static_cast<unsigned long long>(__desired >> 64))
                     : "cc", "memory");
    return static_cast<unsigned __int128>(__high) << 64 | __low;
#else
    return __sync_val_compare_and_swap(__address, __expected, __desired);
#endif
}

/* Compares and replaces bytes.  Stores the old value in *__expected. */
template <class __T>
__device__ inline bool atomic_compare_exchange(__T *__address, __T *__expected, __T __desired,
                                               int __success = __ATOMIC_RELAXED,
                                               int __failure = __ATOMIC_RELAXED) {
    begin_atomic();
    if constexpr (has_16_bytes<__T>) {
        unsigned __int128 __old, __new;
        memcpy(&__old, __expected, 16);
        memcpy(&__new, &__desired, 16);
        const unsigned __int128 __found = compare_exchange_16(
            reinterpret_cast<unsigned __int128 *>(__address), __old, __new);
        memcpy(static_cast<void *>(__expected), &__found, 16);
        return __found == __old;
    } else {
        return __atomic_compare_exchange(__address, __expected, &__desired, false, __success, __failure);
    }
}

template <class __T>
__device__ inline __T atomic_load(const __T *__address, int __order = __ATOMIC_RELAXED) {
    begin_atomic();
    __T __value;
    if constexpr (has_16_bytes<__T>) {
        const unsigned __int128 __found = compare_exchange_16(
            reinterpret_cast<unsigned __int128 *>(const_cast<__T *>(__address)), 0, 0);
        memcpy(static_cast<void *>(&__value), &__found, 16);
    } else {
        __atomic_load(const_cast<__T *>(__address), &__value, __order);
    }
    return __value;
}

/* Replaces *address with update(*address), and returns the old value. */
template <class __T, class __Update>
__device__ inline __T atomic_update(__T *__address, __Update __update, int __order = __ATOMIC_RELAXED) {
    begin_atomic();
    __T __old;
    if constexpr (has_16_bytes<__T>)
        memcpy(static_cast<void *>(&__old), __address, 16);
    else
        __atomic_load(__address, &__old, __ATOMIC_RELAXED);
    for (;;) {
        __T __changed = __update(__old);
        if constexpr (has_16_bytes<__T>) {
            if (atomic_compare_exchange(__address, &__old, __changed)) return __old;
        } else if (__atomic_compare_exchange(__address, &__old, &__changed, true, __order,
                                             __ATOMIC_RELAXED)) {
            return __old;
        }
    }
}

template <class __T>
__device__ inline __T atomic_exchange(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    if constexpr (has_16_bytes<__T>) {
        return atomic_update(__address, [__value](__T) { return __value; });
    } else {
        begin_atomic();
        __T __old;
        __atomic_exchange(__address, &__value, &__old, __order);
        return __old;
    }
}

template <class __T>
__device__ inline void atomic_store(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    if constexpr (has_16_bytes<__T>) {
        atomic_exchange(__address, __value);
    } else {
        begin_atomic();
        __atomic_store(__address, &__value, __order);
    }
}

/* These wrap, like the machine's instructions. */
template <class __T>
__device__ inline __T atomic_add(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    if constexpr (std::is_integral_v<__T>) {
        begin_atomic();
        return __atomic_fetch_add(__address, __value, __order);
    } else {
        return atomic_update(__address, [__value](__T __old) { return __old + __value; }, __order);
    }
}
template <class __T>
__device__ inline __T atomic_subtract(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    if constexpr (std::is_integral_v<__T>) {
        begin_atomic();
        return __atomic_fetch_sub(__address, __value, __order);
    } else {
        return atomic_update(__address, [__value](__T __old) { return __old - __value; }, __order);
    }
}
template <class __T>
__device__ inline __T atomic_and(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    begin_atomic();
    return __atomic_fetch_and(__address, __value, __order);
}
template <class __T>
__device__ inline __T atomic_or(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    begin_atomic();
    return __atomic_fetch_or(__address, __value, __order);
}
template <class __T>
__device__ inline __T atomic_xor(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    begin_atomic();
    return __atomic_fetch_xor(__address, __value, __order);
}
template <class __T>
__device__ inline __T atomic_min(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    return atomic_update(
        __address, [__value](__T __old) { return __value < __old ? __value : __old; }, __order);
}
template <class __T>
__device__ inline __T atomic_max(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    return atomic_update(
        __address, [__value](__T __old) { return __old < __value ? __value : __old; }, __order);
}

}  // namespace kbuild_cpu

#endif
