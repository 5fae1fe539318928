/* cuda::latch and cuda::counting_semaphore: counters that threads wait for. */
#ifndef KBUILD_CPU_ASYNC_COUNTERS_H
#define KBUILD_CPU_ASYNC_COUNTERS_H

#include "../atomics/objects.h"
#include "thread_scope.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC system_header

namespace cuda {

template <thread_scope __Scope>
class latch {
public:
    constexpr explicit latch(ptrdiff_t __expected) : __count_(__expected) {}
    latch(const latch &) = delete;
    latch &operator=(const latch &) = delete;

    void count_down(ptrdiff_t __update = 1) { __count_.fetch_sub(__update, memory_order_release); }
    bool try_wait() const noexcept { return __count_.load(memory_order_acquire) == 0; }
    void wait() const {
        while (!try_wait()) {
        }
    }
    void arrive_and_wait(ptrdiff_t __update = 1) {
        count_down(__update);
        wait();
    }
    static constexpr ptrdiff_t max() noexcept { return PTRDIFF_MAX; }

private:
    atomic<ptrdiff_t, __Scope> __count_;
};

template <thread_scope __Scope, ptrdiff_t __most = PTRDIFF_MAX>
class counting_semaphore {
public:
    constexpr explicit counting_semaphore(ptrdiff_t __count) : __count_(__count) {}
    counting_semaphore(const counting_semaphore &) = delete;
    counting_semaphore &operator=(const counting_semaphore &) = delete;

    void release(ptrdiff_t __update = 1) { __count_.fetch_add(__update, memory_order_release); }
    bool try_acquire() noexcept {
        ptrdiff_t __old = __count_.load(memory_order_relaxed);
        while (__old > 0)
            if (__count_.compare_exchange_weak(__old, __old - 1, memory_order_acquire,
                                               memory_order_relaxed))
                return true;
        return false;
    }
    void acquire() {
        while (!try_acquire()) {
        }
    }
    static constexpr ptrdiff_t max() noexcept { return __most; }

private:
    atomic<ptrdiff_t, __Scope> __count_;
};
template <thread_scope __Scope>
using binary_semaphore = counting_semaphore<__Scope, 1>;

namespace std {

using latch = cuda::latch<thread_scope_system>;
template <ptrdiff_t __most = PTRDIFF_MAX>
using counting_semaphore = cuda::counting_semaphore<thread_scope_system, __most>;
using binary_semaphore = cuda::binary_semaphore<thread_scope_system>;

}  // namespace std
}  // namespace cuda

#endif
