/* What checks learn of asynchronous copies, which here are complete when they are issued. */
#ifndef KBUILD_CPU_ASYNC_COPIES_H
#define KBUILD_CPU_ASYNC_COPIES_H

#include <stddef.h>
#if defined(KBUILD_CHECKED)
#include "../scheduling.h"

#include <kbuild/detail/cpu_checks.h>
#endif

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace kbuild_cpu {

#if defined(KBUILD_CHECKED) && (defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE))
/* The thread has issued a copy to this memory, from other memory, which can have fewer bytes. */
inline void issue_copy(const void *__to, size_t __bytes, const void *__from, size_t __read) {
    kbuild_cpu_check_issue_copy(__to, __bytes);
    kbuild_cpu_check_read_by_copy(__from, __read);
}
/* The copies of the thread since the last batch are the next batch. */
inline void commit_copies() { kbuild_cpu_check_commit_copies(nullptr); }
/* Whoever has waited for the barrier can use what the thread has issued. */
inline void commit_copies(const void *__barrier) { kbuild_cpu_check_commit_copies(__barrier); }
/* The thread has waited for all of its batches but the last ones. */
inline void finish_copies(size_t __prior) { kbuild_cpu_check_finish_copies(nullptr, __prior); }
/* A thread has waited for the barrier. */
inline void finish_copies_of(const void *__barrier) {
    kbuild_cpu_check_finish_copies(__barrier, 0);
}
#else
inline void issue_copy(const void *, size_t, const void *, size_t) {}
inline void commit_copies() {}
inline void commit_copies(const void *) {}
inline void finish_copies(size_t) {}
inline void finish_copies_of(const void *) {}
#endif

}  // namespace kbuild_cpu

#pragma GCC visibility pop
#endif
