/* cuda::barrier. */
#ifndef KBUILD_CPU_ASYNC_BARRIER_H
#define KBUILD_CPU_ASYNC_BARRIER_H

#include "memcpy.h"
#include "phases.h"
#include "thread_scope.h"

#include <stdint.h>
#include <utility>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace cuda {

template <thread_scope __Scope, class __Completion = kbuild_cpu::no_completion>
class KBUILD_CALL_NEEDS_BLOCK barrier {
public:
    class arrival_token {
    public:
        arrival_token() = default;

    private:
        friend class barrier;
        explicit arrival_token(uint64_t __state) : __phase(kbuild_cpu::phase_number(__state)) {}
        uint64_t __phase;
    };

    /* Trivial, so that shared memory can hold barriers. */
    barrier() = default;
    explicit barrier(ptrdiff_t __expected, __Completion __completion = __Completion())
        : __word(kbuild_cpu::make_phases(static_cast<uint64_t>(__expected))),
          __complete(::std::move(__completion)) {}
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;

    friend void init(barrier *__barrier, ptrdiff_t __expected) {
        __barrier->__word = kbuild_cpu::make_phases(static_cast<uint64_t>(__expected));
    }
    friend void init(barrier *__barrier, ptrdiff_t __expected, __Completion __completion) {
        init(__barrier, __expected);
        __barrier->__complete = ::std::move(__completion);
    }

    [[nodiscard]] arrival_token arrive(ptrdiff_t __count = 1) {
        return arrival_token(
            kbuild_cpu::arrive(&__word, static_cast<uint64_t>(__count), 0, __complete));
    }
    void wait(arrival_token &&__token, KBUILD_CPU_CALLER) const {
        kbuild_cpu::wait_for_phase(&__word, __token.__phase,
                                   KBUILD_CPU_CALL("cuda::barrier::wait"));
    }
    void wait_parity(bool __parity, KBUILD_CPU_CALLER) const {
        kbuild_cpu::wait_for_parity(&__word, __parity,
                                    KBUILD_CPU_CALL("cuda::barrier::wait_parity"));
    }
    void arrive_and_wait(KBUILD_CPU_CALLER) { wait(arrive(), __file, __line); }
    void arrive_and_drop() { kbuild_cpu::arrive(&__word, 1, 1, __complete); }

    static constexpr ptrdiff_t max() noexcept {
        return static_cast<ptrdiff_t>(kbuild_cpu::most_arrivals);
    }

private:
    uint64_t __word;
    [[no_unique_address]] __Completion __complete;
};

template <thread_scope __Scope, class __Completion>
__attribute__((always_inline)) inline void memcpy_async(void *__to, const void *__from,
                                                        size_t __bytes,
                                                        barrier<__Scope, __Completion> &__barrier) {
    memcpy(__to, __from, __bytes);
    kbuild_cpu::issue_copy(__to, __bytes, __from, __bytes);
    kbuild_cpu::commit_copies(&__barrier);
}
template <class __Group, thread_scope __Scope, class __Completion>
__attribute__((always_inline)) inline void memcpy_async(const __Group &__group, void *__to,
                                                        const void *__from, size_t __bytes,
                                                        barrier<__Scope, __Completion> &__barrier) {
    kbuild_cpu::copy_once(__group, __to, __from, __bytes);
    kbuild_cpu::commit_copies(&__barrier);
}

namespace std {

template <class __Completion = kbuild_cpu::no_completion>
using barrier = cuda::barrier<thread_scope_system, __Completion>;

}  // namespace std
}  // namespace cuda

#pragma GCC visibility pop
#endif
