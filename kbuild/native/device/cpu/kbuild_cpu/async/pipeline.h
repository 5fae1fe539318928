/* cuda::pipeline. */
#ifndef KBUILD_CPU_ASYNC_PIPELINE_H
#define KBUILD_CPU_ASYNC_PIPELINE_H

#include "memcpy.h"
#include "phases.h"
#include "thread_scope.h"

#include <stdint.h>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace kbuild_cpu {

/* The barriers of a stage: producers arrive at one, and consumers at the other. */
struct pipeline_stage {
    uint64_t produced, consumed;
};

}  // namespace kbuild_cpu

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope __Scope, uint8_t __Stages>
class pipeline_shared_state {
public:
    pipeline_shared_state() = default;
    pipeline_shared_state(const pipeline_shared_state &) = delete;
    pipeline_shared_state &operator=(const pipeline_shared_state &) = delete;

private:
    template <thread_scope>
    friend class pipeline;

    kbuild_cpu::pipeline_stage __stages[__Stages];
    uint64_t __producers, __consumers, __threads;
};

template <thread_scope __Scope>
class KBUILD_CALL_NEEDS_BLOCK pipeline {
public:
    pipeline(pipeline &&__other)
        : __stages(__other.__stages),
          __stage_count(__other.__stage_count),
          __threads(__other.__threads),
          __head(__other.__head),
          __tail(__other.__tail) {
        __other.__threads = nullptr;
    }
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    ~pipeline() { quit(); }

    void producer_acquire(KBUILD_CPU_CALLER) {
        /* The first time, no consumer uses the stage. */
        kbuild_cpu::wait_for_parity(&__stage(__head).consumed, !__is_odd_round(__head),
                                    KBUILD_CPU_CALL("cuda::pipeline::producer_acquire"));
    }
    void producer_commit() {
        kbuild_cpu::commit_copies(&__stage(__head).produced);
        __arrive(__head++, &kbuild_cpu::pipeline_stage::produced);
    }
    void consumer_wait(KBUILD_CPU_CALLER) {
        kbuild_cpu::wait_for_parity(&__stage(__tail).produced, __is_odd_round(__tail),
                                    KBUILD_CPU_CALL("cuda::pipeline::consumer_wait"));
    }
    void consumer_release() { __arrive(__tail++, &kbuild_cpu::pipeline_stage::consumed); }

    /* Returns whether the calling thread is the last one that leaves. */
    bool quit() {
        uint64_t *const __count = __threads;
        __threads = nullptr;
        return __count && __atomic_sub_fetch(__count, 1, __ATOMIC_ACQ_REL) == 0;
    }

private:
    template <class __Group, thread_scope __S, uint8_t __N>
    friend pipeline<__S> make_pipeline(const __Group &, pipeline_shared_state<__S, __N> *);
    template <class __Group, thread_scope __S, uint8_t __N>
    friend pipeline<__S> make_pipeline(const __Group &, pipeline_shared_state<__S, __N> *, size_t);
    template <class __Group, thread_scope __S, uint8_t __N>
    friend pipeline<__S> make_pipeline(const __Group &, pipeline_shared_state<__S, __N> *,
                                       pipeline_role);

    /* Every thread of the group passes what it is.  The first one sets the barriers. */
    template <class __Group, uint8_t __Stages>
    pipeline(const __Group &__group, pipeline_shared_state<__Scope, __Stages> *__state,
             bool __is_producer, bool __is_consumer)
        : __stages(__state->__stages), __stage_count(__Stages), __threads(&__state->__threads) {
        const bool __is_first = __group.thread_rank() == 0;
        if (__is_first) __state->__producers = __state->__consumers = __state->__threads = 0;
        __group.sync();
        __atomic_fetch_add(&__state->__producers, __is_producer, __ATOMIC_RELAXED);
        __atomic_fetch_add(&__state->__consumers, __is_consumer, __ATOMIC_RELAXED);
        __atomic_fetch_add(&__state->__threads, 1, __ATOMIC_RELAXED);
        __group.sync();
        if (__is_first)
            for (auto &__each : __state->__stages)
                __each = {kbuild_cpu::make_phases(__state->__producers),
                          kbuild_cpu::make_phases(__state->__consumers)};
        __group.sync();
    }

    kbuild_cpu::pipeline_stage &__stage(size_t __number) const {
        return __stages[__number % __stage_count];
    }
    bool __is_odd_round(size_t __number) const { return __number / __stage_count % 2 != 0; }
    void __arrive(size_t __number, uint64_t kbuild_cpu::pipeline_stage::*__barrier) {
        const kbuild_cpu::no_completion __nothing;
        kbuild_cpu::arrive(&(__stage(__number).*__barrier), 1, 0, __nothing);
    }

    kbuild_cpu::pipeline_stage *__stages;
    size_t __stage_count;
    uint64_t *__threads; /* null after quit() */
    size_t __head = 0, __tail = 0;
};

/* One thread waits for nothing. */
template <>
class pipeline<thread_scope_thread> {
public:
    pipeline(pipeline &&) = default;
    pipeline &operator=(const pipeline &) = delete;

    void producer_acquire() {}
    void producer_commit() {
        kbuild_cpu::commit_copies();
        ++__head;
    }
    void consumer_wait() { kbuild_cpu::finish_copies(__head - __tail - 1); }
    void consumer_release() { ++__tail; }
    bool quit() { return false; }

private:
    friend pipeline make_pipeline();
    pipeline() {} /* keeps this from being an aggregate */

    size_t __head = 0, __tail = 0;
};

inline pipeline<thread_scope_thread> KBUILD_NEEDS_BLOCK make_pipeline() { return {}; }

template <class __Group, thread_scope __Scope, uint8_t __Stages>
pipeline<__Scope> KBUILD_NEEDS_BLOCK
make_pipeline(const __Group &__group, pipeline_shared_state<__Scope, __Stages> *__state) {
    return {__group, __state, true, true};
}
template <class __Group, thread_scope __Scope, uint8_t __Stages>
pipeline<__Scope> KBUILD_NEEDS_BLOCK make_pipeline(
    const __Group &__group, pipeline_shared_state<__Scope, __Stages> *__state, size_t __producers) {
    const bool __is_producer = __group.thread_rank() < __producers;
    return {__group, __state, __is_producer, !__is_producer};
}
template <class __Group, thread_scope __Scope, uint8_t __Stages>
pipeline<__Scope> KBUILD_NEEDS_BLOCK
make_pipeline(const __Group &__group, pipeline_shared_state<__Scope, __Stages> *__state,
              pipeline_role __role) {
    const bool __is_producer = __role == pipeline_role::producer;
    return {__group, __state, __is_producer, !__is_producer};
}

/* Copies are complete when they are issued, so that there is nothing to wait for. */
template <uint8_t __Prior>
void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) {
    kbuild_cpu::finish_copies(__Prior);
}
template <class __Barrier>
void pipeline_producer_commit(pipeline<thread_scope_thread> &, __Barrier &__barrier) {
    kbuild_cpu::commit_copies(&__barrier);
}

template <thread_scope __Scope>
__attribute__((always_inline)) inline void memcpy_async(void *__to, const void *__from,
                                                        size_t __bytes, pipeline<__Scope> &) {
    memcpy(__to, __from, __bytes);
    kbuild_cpu::issue_copy(__to, __bytes, __from, __bytes);
}
template <class __Group, thread_scope __Scope>
__attribute__((always_inline)) inline void memcpy_async(const __Group &__group, void *__to,
                                                        const void *__from, size_t __bytes,
                                                        pipeline<__Scope> &) {
    kbuild_cpu::copy_once(__group, __to, __from, __bytes);
}

}  // namespace cuda

#pragma GCC visibility pop
#endif
