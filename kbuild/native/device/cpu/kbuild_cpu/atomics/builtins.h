/* The __nv_atomic_* functions, which have explicit orders and scopes.  On the CPU, all scopes are
 * the same. */
#ifndef KBUILD_CPU_ATOMICS_BUILTINS_H
#define KBUILD_CPU_ATOMICS_BUILTINS_H

#include "access.h"

#pragma GCC system_header

enum {
    __NV_ATOMIC_RELAXED = __ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME = __ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE = __ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE = __ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL = __ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST = __ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

template <class __T>
__device__ inline kbuild_cpu::remove_cv_t<__T> KBUILD_YIELDS
__nv_atomic_load_n(__T *__address, int __order, int = __NV_THREAD_SCOPE_SYSTEM) {
    return kbuild_cpu::atomic_load(const_cast<kbuild_cpu::remove_cv_t<__T> *>(__address), __order);
}
template <class __T>
__device__ inline void KBUILD_YIELDS __nv_atomic_load(__T *__address,
                                                      kbuild_cpu::remove_cv_t<__T> *__result,
                                                      int __order, int = __NV_THREAD_SCOPE_SYSTEM) {
    *__result = __nv_atomic_load_n(__address, __order);
}
template <class __T>
__device__ inline void KBUILD_YIELDS __nv_atomic_store_n(__T *__address,
                                                         kbuild_cpu::same_t<__T> __value,
                                                         int __order,
                                                         int = __NV_THREAD_SCOPE_SYSTEM) {
    kbuild_cpu::atomic_store(__address, __value, __order);
}
template <class __T>
__device__ inline void KBUILD_YIELDS __nv_atomic_store(__T *__address, __T *__value, int __order,
                                                       int = __NV_THREAD_SCOPE_SYSTEM) {
    kbuild_cpu::atomic_store(__address, *__value, __order);
}
template <class __T>
__device__ inline __T KBUILD_YIELDS __nv_atomic_exchange_n(__T *__address,
                                                           kbuild_cpu::same_t<__T> __value,
                                                           int __order,
                                                           int = __NV_THREAD_SCOPE_SYSTEM) {
    return kbuild_cpu::atomic_exchange(__address, __value, __order);
}
template <class __T>
__device__ inline void KBUILD_YIELDS __nv_atomic_exchange(__T *__address, __T *__value,
                                                          __T *__result, int __order,
                                                          int = __NV_THREAD_SCOPE_SYSTEM) {
    *__result = kbuild_cpu::atomic_exchange(__address, *__value, __order);
}
template <class __T>
__device__ inline bool KBUILD_YIELDS
__nv_atomic_compare_exchange_n(__T *__address, __T *__expected, kbuild_cpu::same_t<__T> __desired,
                               bool, int __success, int __failure, int = __NV_THREAD_SCOPE_SYSTEM) {
    return kbuild_cpu::atomic_compare_exchange(__address, __expected, __desired, __success,
                                               __failure);
}
template <class __T>
__device__ inline bool KBUILD_YIELDS __nv_atomic_compare_exchange(__T *__address, __T *__expected,
                                                                  __T *__desired, bool,
                                                                  int __success, int __failure,
                                                                  int = __NV_THREAD_SCOPE_SYSTEM) {
    return kbuild_cpu::atomic_compare_exchange(__address, __expected, *__desired, __success,
                                               __failure);
}

#define KBUILD_CPU_FETCH(name, operation) \
    template <class __T> \
    __device__ inline __T KBUILD_YIELDS __nv_atomic_fetch_##name( \
        __T *__address, kbuild_cpu::same_t<__T> __value, int __order, \
        int = __NV_THREAD_SCOPE_SYSTEM) { \
        return kbuild_cpu::operation(__address, __value, __order); \
    }
KBUILD_CPU_FETCH(add, atomic_add)
KBUILD_CPU_FETCH(sub, atomic_subtract)
KBUILD_CPU_FETCH(and, atomic_and)
KBUILD_CPU_FETCH(or, atomic_or)
KBUILD_CPU_FETCH(xor, atomic_xor)
KBUILD_CPU_FETCH(min, atomic_min)
KBUILD_CPU_FETCH(max, atomic_max)
#undef KBUILD_CPU_FETCH

__device__ inline void __nv_atomic_thread_fence(int __order, int = __NV_THREAD_SCOPE_SYSTEM) {
    __atomic_thread_fence(__order);
}

#endif
