/* Atomic access to memory.  Every atomic operation of device code is one of these functions. */
#ifndef KBUILD_CPU_ATOMICS_ACCESS_H
#define KBUILD_CPU_ATOMICS_ACCESS_H

#include "../qualifiers.h"
#include "../scheduling.h"
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
#include "../shared_memory.h"
#endif
#include "../traits.h"

#include <string.h>
#if defined(KBUILD_CHECKED)
#include <kbuild/detail/cpu_checks.h>
#endif

#pragma GCC system_header

namespace kbuild_cpu {

/* T, if T is one of the types. */
template <class __T, class... __Types>
using one_of = enable_if_t<(is_same_v<__T, __Types> || ...), __T>;

/* T, in a form that prevents deduction from the argument. */
template <class __T>
struct same {
    using __type = __T;
};
template <class __T>
using same_t = typename same<__T>::__type;

/* While an object exists, the atomic operations of the thread have this scope.  Only checks make a difference
 * between scopes. */
#if defined(KBUILD_CHECKED) && (defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE))
struct scope_change {
    KBUILD_CPU_UNCHECKED explicit scope_change(bool __is_block) {
        kbuild_cpu_check_set_scope(__is_block ? KBUILD_CPU_THREADS_OF_BLOCK
                                              : KBUILD_CPU_ALL_THREADS);
    }
    KBUILD_CPU_UNCHECKED ~scope_change() { kbuild_cpu_check_set_scope(KBUILD_CPU_ALL_THREADS); }
};
#else
struct scope_change {
    explicit scope_change(bool) {}
    ~scope_change() {}
};
#endif
struct atomic_scope {
    atomic_scope() {}
};
struct atomic_scope_system {
    atomic_scope_system() {}
};
struct atomic_scope_block : scope_change {
    atomic_scope_block() : scope_change(true) {}
};

/* Each atomic operation ends with this.  A thread whose operations change nothing can be waiting for
 * another one.  Host code, which can use cuda::atomic, has no such threads. */
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
__device__ inline void end_atomic(bool __has_changed_memory) {
    if (!__has_changed_memory) spin();
}
#else
inline void end_atomic(bool) {}
#endif

template <class __T>
constexpr bool has_16_bytes = sizeof(__T) == 16;

/* In the place of an order: only threads of this block access the memory.  They all run on one OS thread, and
 * one after another, so that loads and stores are enough.  This is also so for the memory of the block, to which any
 * pointer can lead.  Checks need to see an atomic access. */
#if defined(KBUILD_CHECKED)
constexpr int only_block = __ATOMIC_RELAXED;
constexpr bool is_only_block(int, const volatile void *) { return false; }
#else
constexpr int only_block = -1;
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
__device__ inline bool is_only_block(int __order, const volatile void *__address) {
    return __order == only_block || is_in_block(__address);
}
#else
constexpr bool is_only_block(int __order, const volatile void *) { return __order == only_block; }
#endif
#endif

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
    bool __is_equal;
    if constexpr (has_16_bytes<__T>) {
        unsigned __int128 __old, __new;
        memcpy(__builtin_addressof(__old), __expected, 16);
        memcpy(&__new, __builtin_addressof(__desired), 16);
        const unsigned __int128 __found =
            compare_exchange_16(reinterpret_cast<unsigned __int128 *>(__address), __old, __new);
        memcpy(static_cast<void *>(__expected), &__found, 16);
        __is_equal = __found == __old;
    } else {
        __is_equal = __atomic_compare_exchange(
            __address, __expected, __builtin_addressof(__desired), false, __success, __failure);
    }
    end_atomic(__is_equal);
    return __is_equal;
}

template <class __T>
__device__ inline __T atomic_load(const __T *__address, int __order = __ATOMIC_RELAXED) {
    __T __value;
    if constexpr (has_16_bytes<__T>) {
        const unsigned __int128 __found = compare_exchange_16(
            reinterpret_cast<unsigned __int128 *>(const_cast<__T *>(__address)), 0, 0);
        memcpy(static_cast<void *>(__builtin_addressof(__value)), &__found, 16);
    } else {
        __atomic_load(const_cast<__T *>(__address), __builtin_addressof(__value), __order);
    }
    end_atomic(false);
    return __value;
}

/* Replaces *address with update(*address), and returns the old value. */
template <class __T, class __Update>
__device__ inline __T atomic_update(__T *__address, __Update __update,
                                    int __order = __ATOMIC_RELAXED) {
    __T __old, __changed;
    if (is_only_block(__order, __address)) {
        __old = *__address;
        *__address = __changed = __update(__old);
    } else if constexpr (has_16_bytes<__T>) {
        memcpy(static_cast<void *>(__builtin_addressof(__old)), __address, 16);
        do {
            __changed = __update(__old);
        } while (!atomic_compare_exchange(__address, __builtin_addressof(__old), __changed));
    } else {
        __atomic_load(__address, __builtin_addressof(__old), __ATOMIC_RELAXED);
        do {
            __changed = __update(__old);
        } while (!__atomic_compare_exchange(__address, __builtin_addressof(__old),
                                            __builtin_addressof(__changed), true, __order,
                                            __ATOMIC_RELAXED));
    }
    end_atomic(memcmp(__builtin_addressof(__old), __builtin_addressof(__changed), sizeof __old) !=
               0);
    return __old;
}

template <class __T>
__device__ inline __T atomic_exchange(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    if constexpr (has_16_bytes<__T>) {
        return atomic_update(__address, [__value](__T) { return __value; }, __order);
    } else {
        __T __old;
        if (is_only_block(__order, __address))
            return atomic_update(__address, [__value](__T) { return __value; }, __order);
        __atomic_exchange(__address, __builtin_addressof(__value), __builtin_addressof(__old),
                          __order);
        end_atomic(memcmp(__builtin_addressof(__old), __builtin_addressof(__value), sizeof __old) !=
                   0);
        return __old;
    }
}

template <class __T>
__device__ inline void atomic_store(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) {
    if constexpr (has_16_bytes<__T>) {
        atomic_exchange(__address, __value);
    } else {
        __atomic_store(__address, __builtin_addressof(__value), __order);
        end_atomic(true);
    }
}

/* Integers wrap, like the machine's instructions. */
#define KBUILD_CPU_FETCH(name, fetch, operation, has_changed) \
    template <class __T> \
    __device__ inline __T name(__T *__address, __T __value, int __order = __ATOMIC_RELAXED) { \
        if constexpr (is_integral_v<__T>) { \
            __T __old; \
            if (is_only_block(__order, __address)) { \
                __old = *__address; \
                *__address = static_cast<__T>(static_cast<unsigned long long>( \
                    __old) operation static_cast<unsigned long long>(__value)); \
            } else { \
                __old = fetch(__address, __value, __order); \
            } \
            end_atomic(has_changed); \
            return __old; \
        } else { \
            return atomic_update( \
                __address, [__value](__T __old) { return __old operation __value; }, __order); \
        } \
    }
KBUILD_CPU_FETCH(atomic_add, __atomic_fetch_add, +, __value != 0)
KBUILD_CPU_FETCH(atomic_subtract, __atomic_fetch_sub, -, __value != 0)
KBUILD_CPU_FETCH(atomic_and, __atomic_fetch_and, &, (__old & __value) != __old)
KBUILD_CPU_FETCH(atomic_or, __atomic_fetch_or, |, (__old | __value) != __old)
KBUILD_CPU_FETCH(atomic_xor, __atomic_fetch_xor, ^, __value != 0)
#undef KBUILD_CPU_FETCH

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
