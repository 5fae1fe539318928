/* The functions on words of shared memory that serve as barriers. */
#ifndef KBUILD_CPU_CUDA_AWBARRIER_PRIMITIVES_H
#define KBUILD_CPU_CUDA_AWBARRIER_PRIMITIVES_H

#include "kbuild_cpu_device.h"
#include "kbuild_cpu/async/phases.h"

#include <stdint.h>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

inline uint32_t __mbarrier_maximum_count() { return kbuild_cpu::most_arrivals; }
inline void __mbarrier_init(__mbarrier_t *__barrier, uint32_t __expected) {
    *__barrier = kbuild_cpu::make_phases(__expected);
}
inline void __mbarrier_inval(__mbarrier_t *__barrier) { *__barrier = 0; }

inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *__barrier) {
    const kbuild_cpu::no_completion __nothing;
    return kbuild_cpu::arrive(__barrier, 1, 0, __nothing);
}
inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *__barrier) {
    const kbuild_cpu::no_completion __nothing;
    return kbuild_cpu::arrive(__barrier, 1, 1, __nothing);
}
inline uint32_t __mbarrier_token_pending_count(__mbarrier_token_t __token) {
    return static_cast<uint32_t>(kbuild_cpu::count_pending(__token));
}

inline bool KBUILD_NEEDS_BLOCK __mbarrier_test_wait(__mbarrier_t *__barrier,
                                                    __mbarrier_token_t __token, KBUILD_CPU_CALLER) {
    return kbuild_cpu::poll(__barrier,
                            kbuild_cpu::is_over(__barrier, kbuild_cpu::phase_number(__token)),
                            KBUILD_CPU_CALL("__mbarrier_test_wait"));
}
inline bool KBUILD_NEEDS_BLOCK __mbarrier_test_wait_parity(__mbarrier_t *__barrier, bool __parity,
                                                           KBUILD_CPU_CALLER) {
    return kbuild_cpu::poll(__barrier, kbuild_cpu::is_parity_over(__barrier, __parity),
                            KBUILD_CPU_CALL("__mbarrier_test_wait_parity"));
}
/* The time is only a hint. */
inline bool KBUILD_NEEDS_BLOCK __mbarrier_try_wait(__mbarrier_t *__barrier,
                                                   __mbarrier_token_t __token, uint32_t,
                                                   KBUILD_CPU_CALLER) {
    return kbuild_cpu::poll(__barrier,
                            kbuild_cpu::is_over(__barrier, kbuild_cpu::phase_number(__token)),
                            KBUILD_CPU_CALL("__mbarrier_try_wait"));
}
inline bool KBUILD_NEEDS_BLOCK __mbarrier_try_wait_parity(__mbarrier_t *__barrier, bool __parity,
                                                          uint32_t, KBUILD_CPU_CALLER) {
    return kbuild_cpu::poll(__barrier, kbuild_cpu::is_parity_over(__barrier, __parity),
                            KBUILD_CPU_CALL("__mbarrier_try_wait_parity"));
}

#pragma GCC visibility pop
#endif
