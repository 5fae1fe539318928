/* Memory orders and fences of namespace cuda. */
#ifndef KBUILD_CPU_ATOMICS_ORDERS_H
#define KBUILD_CPU_ATOMICS_ORDERS_H

#include "../async/thread_scope.h"
#if defined(KBUILD_CHECKED)
#include "../scheduling.h"

#include <kbuild/detail/cpu_checks.h>
#endif

#pragma GCC system_header

namespace cuda {

namespace std {

enum memory_order {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_consume = __ATOMIC_CONSUME,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST
};

}  // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

inline void atomic_thread_fence(memory_order __order,
                                [[maybe_unused]] thread_scope __scope = thread_scope_system) {
    __atomic_thread_fence(__order);
#if defined(KBUILD_CHECKED) && (defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE))
    kbuild_cpu_check_fence(__scope == thread_scope_block || __scope == thread_scope_thread
                               ? KBUILD_CPU_THREADS_OF_BLOCK
                               : KBUILD_CPU_ALL_THREADS);
#endif
}
inline void atomic_signal_fence(memory_order __order) { __atomic_signal_fence(__order); }

}  // namespace cuda

#endif
