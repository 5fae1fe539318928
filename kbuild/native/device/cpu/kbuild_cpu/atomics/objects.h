/* cuda::atomic and cuda::atomic_ref, for host and device code.
 *
 * CCCL has them as well, but the device code of its headers is PTX assembly. */
#ifndef KBUILD_CPU_ATOMICS_OBJECTS_H
#define KBUILD_CPU_ATOMICS_OBJECTS_H

#include "access.h"
#include "orders.h"

#include <stddef.h>
#include <type_traits>

#pragma GCC system_header

namespace kbuild_cpu {

/* The order of a failed compare-and-exchange: it stores nothing. */
constexpr int failure_order(int __order) {
    return __order == __ATOMIC_ACQ_REL   ? __ATOMIC_ACQUIRE
           : __order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED
                                         : __order;
}

/* What atomic and atomic_ref have in common.  __Self has address().  Only checks make a difference between
 * scopes. */
template <class __Self, class __T, cuda::thread_scope __scope>
class atomic_operations {
    static constexpr bool __is_narrow =
        __scope == cuda::thread_scope_block || __scope == cuda::thread_scope_thread;
    using __scope_t = ::std::conditional_t<__is_narrow, atomic_scope_block, atomic_scope>;
    using __order_t = cuda::memory_order;
    static constexpr __order_t __seq_cst = cuda::memory_order_seq_cst;
    /* What is added to pointers counts elements. */
    using __difference_t = ::std::conditional_t<::std::is_pointer_v<__T>, ptrdiff_t, __T>;

public:
    using value_type = __T;
    static constexpr bool is_always_lock_free = sizeof(__T) <= 8;
    bool is_lock_free() const volatile noexcept { return is_always_lock_free; }

    void store(__T __value, __order_t __order = __seq_cst) const volatile noexcept {
        const __scope_t __scoped;
        atomic_store(__address(), __value, __order);
    }
    __T load(__order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_load(__address(), __order);
    }
    operator __T() const volatile noexcept { return load(); }
    __T exchange(__T __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_exchange(__address(), __value, __order);
    }

    bool compare_exchange_strong(__T &__expected, __T __desired, __order_t __success,
                                 __order_t __failure) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_compare_exchange(__address(), __builtin_addressof(__expected), __desired,
                                       __success, __failure);
    }
    bool compare_exchange_strong(__T &__expected, __T __desired,
                                 __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_compare_exchange(__address(), __builtin_addressof(__expected), __desired,
                                       __order, failure_order(__order));
    }
    bool compare_exchange_weak(__T &__expected, __T __desired, __order_t __success,
                               __order_t __failure) const volatile noexcept {
        return compare_exchange_strong(__expected, __desired, __success, __failure);
    }
    bool compare_exchange_weak(__T &__expected, __T __desired, __order_t __order = __seq_cst) const
        volatile noexcept {
        return compare_exchange_strong(__expected, __desired, __order);
    }

    /* Waits until the value is another one.  Who changes it need not notify. */
    void wait(__T __old, __order_t __order = __seq_cst) const volatile noexcept {
        for (;;) {
            const __T __now = load(__order);
            if (memcmp(__builtin_addressof(__now), __builtin_addressof(__old), sizeof __old) != 0)
                return;
        }
    }
    void notify_one() const volatile noexcept {}
    void notify_all() const volatile noexcept {}

    __T fetch_add(__difference_t __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        if constexpr (::std::is_pointer_v<__T>)
            return atomic_update(
                __address(), [__value](__T __old) { return __old + __value; }, __order);
        else
            return atomic_add(__address(), __value, __order);
    }
    __T fetch_sub(__difference_t __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        if constexpr (::std::is_pointer_v<__T>)
            return atomic_update(
                __address(), [__value](__T __old) { return __old - __value; }, __order);
        else
            return atomic_subtract(__address(), __value, __order);
    }
    __T fetch_and(__T __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_and(__address(), __value, __order);
    }
    __T fetch_or(__T __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_or(__address(), __value, __order);
    }
    __T fetch_xor(__T __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_xor(__address(), __value, __order);
    }
    __T fetch_min(__T __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_min(__address(), __value, __order);
    }
    __T fetch_max(__T __value, __order_t __order = __seq_cst) const volatile noexcept {
        may_wait();
        const __scope_t __scoped;
        return atomic_max(__address(), __value, __order);
    }

    __T operator++(int) const volatile noexcept { return fetch_add(1); }
    __T operator--(int) const volatile noexcept { return fetch_sub(1); }
    __T operator++() const volatile noexcept { return fetch_add(1) + 1; }
    __T operator--() const volatile noexcept { return fetch_sub(1) - 1; }
    __T operator+=(__difference_t __value) const volatile noexcept {
        return fetch_add(__value) + __value;
    }
    __T operator-=(__difference_t __value) const volatile noexcept {
        return fetch_sub(__value) - __value;
    }
    __T operator&=(__T __value) const volatile noexcept { return fetch_and(__value) & __value; }
    __T operator|=(__T __value) const volatile noexcept { return fetch_or(__value) | __value; }
    __T operator^=(__T __value) const volatile noexcept { return fetch_xor(__value) ^ __value; }

private:
    __T *__address() const volatile noexcept {
        return const_cast<const __Self *>(static_cast<const volatile __Self *>(this))
            ->__get_address();
    }
};

}  // namespace kbuild_cpu

namespace cuda {

template <class __T, thread_scope __scope = thread_scope_system>
class atomic_ref : public kbuild_cpu::atomic_operations<atomic_ref<__T, __scope>, __T, __scope> {
public:
    static constexpr size_t required_alignment = sizeof(__T) <= 16 ? sizeof(__T) : alignof(__T);

    explicit atomic_ref(__T &__object) noexcept : __address_(__builtin_addressof(__object)) {}
    atomic_ref(const atomic_ref &) = default;
    atomic_ref &operator=(const atomic_ref &) = delete;
    __T operator=(__T __value) const noexcept {
        this->store(__value);
        return __value;
    }
    __T *__get_address() const noexcept { return __address_; }

private:
    __T *__address_;
};

template <class __T, thread_scope __scope = thread_scope_system>
class atomic : public kbuild_cpu::atomic_operations<atomic<__T, __scope>, __T, __scope> {
public:
    atomic() noexcept = default;
    constexpr atomic(__T __value) noexcept : __value_(__value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    atomic &operator=(const atomic &) volatile = delete;
    __T operator=(__T __value) noexcept {
        this->store(__value);
        return __value;
    }
    __T operator=(__T __value) volatile noexcept {
        this->store(__value);
        return __value;
    }
    __T *__get_address() const noexcept { return __builtin_addressof(__value_); }

private:
    /* The operations are those of atomic_ref, which do not change the reference. */
    alignas(sizeof(__T) == 16 || sizeof(__T) <= 8 ? sizeof(__T)
                                                  : alignof(__T)) mutable __T __value_;
};

namespace std {

template <class __T>
using atomic_ref = cuda::atomic_ref<__T, thread_scope_system>;
template <class __T>
using atomic = cuda::atomic<__T, thread_scope_system>;
using cuda::atomic_signal_fence;
using cuda::atomic_thread_fence;

}  // namespace std

}  // namespace cuda

#endif
