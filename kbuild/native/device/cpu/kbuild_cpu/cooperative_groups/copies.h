/* Copies by the threads of a group.  A copy is complete when the call returns. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_COPIES_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_COPIES_H

#include "../async/copies.h"
#include "groups.h"

#pragma GCC system_header

KBUILD_CPU_GROUPS_BEGIN

/* Each thread copies a part. */
template <class __Group>
__attribute__((always_inline)) inline void __copy_bytes(const __Group &__group, void *__to,
                                                        const void *__from, size_t __bytes) {
    const size_t __threads = __group.size(), __rank = __group.thread_rank();
    const size_t __part = (__bytes / __threads + 16) / 16 * 16;
    const size_t __start = __part * __rank;
    if (__start >= __bytes) return;
    const size_t __count = __bytes - __start < __part ? __bytes - __start : __part;
    memcpy(static_cast<char *>(__to) + __start, static_cast<const char *>(__from) + __start,
           __count);
    kbuild_cpu::issue_copy(static_cast<char *>(__to) + __start, __count,
                           static_cast<const char *>(__from) + __start, __count);
    kbuild_cpu::commit_copies();
}

/* The shape is a number of bytes. */
template <class __Group, class __T, class __Shape>
__attribute__((always_inline)) inline void memcpy_async(const __Group &__group, __T *__to,
                                                        const __T *__from, const __Shape &__shape) {
    __copy_bytes(__group, __to, __from, static_cast<size_t>(__shape));
}
template <class __Group, class __Shape>
__attribute__((always_inline)) inline void memcpy_async(const __Group &__group, void *__to,
                                                        const void *__from,
                                                        const __Shape &__shape) {
    __copy_bytes(__group, __to, __from, static_cast<size_t>(__shape));
}
/* The layouts are numbers of elements. */
template <class __Group, class __T, class __ToLayout, class __FromLayout>
__attribute__((always_inline)) inline void memcpy_async(const __Group &__group, __T *__to,
                                                        const __ToLayout &__to_layout,
                                                        const __T *__from,
                                                        const __FromLayout &__from_layout) {
    const size_t __room = static_cast<size_t>(__to_layout);
    const size_t __available = static_cast<size_t>(__from_layout);
    __copy_bytes(__group, __to, __from,
                 (__room < __available ? __room : __available) * sizeof(__T));
}

template <class __Group>
inline void wait(const __Group &__group, KBUILD_CPU_CALLER) {
    kbuild_cpu::finish_copies(0);
    __group.sync(__file, __line);
}
template <unsigned int __Stages, class __Group>
inline void wait_prior(const __Group &__group, KBUILD_CPU_CALLER) {
    kbuild_cpu::finish_copies(__Stages);
    __group.sync(__file, __line);
}

KBUILD_CPU_GROUPS_END

#endif
