/* cuda::ptx::fence*.  Memory has no proxies here, so that a fence between two of them is an ordinary one. */
#ifndef KBUILD_CPU_CCCL_FENCES_H
#define KBUILD_CPU_CCCL_FENCES_H

#include <cuda/__ptx/ptx_dot_variants.h>

#include "../atomics/orders.h"
#include "namespaces.h"

#pragma GCC system_header

KBUILD_CPU_CCCL_PTX

template <dot_sem __sem, dot_scope __scope>
void fence(sem_t<__sem>, scope_t<__scope>) {
    static_assert(__sem != dot_sem::relaxed && __sem != dot_sem::weak,
                  "kbuild: a fence is sc, acq_rel, acquire, or release");
    ::cuda::atomic_thread_fence(
        __sem == dot_sem::sc ? ::cuda::memory_order_seq_cst : ::cuda::memory_order_acq_rel,
        __scope == dot_scope::cta ? ::cuda::thread_scope_block : ::cuda::thread_scope_system);
}
#define KBUILD_CPU_FENCE(name) \
    template <class... __Operands> \
    void fence_##name(__Operands...) { \
        ::cuda::atomic_thread_fence(::cuda::memory_order_acq_rel, ::cuda::thread_scope_system); \
    }
KBUILD_CPU_FENCE(mbarrier_init)
KBUILD_CPU_FENCE(proxy_alias)
KBUILD_CPU_FENCE(proxy_async)
KBUILD_CPU_FENCE(proxy_async_generic_sync_restrict)
KBUILD_CPU_FENCE(proxy_tensormap_generic)
KBUILD_CPU_FENCE(sync_restrict)
#undef KBUILD_CPU_FENCE

KBUILD_CPU_CCCL_PTX_END

#endif
