/* nvcuda::experimental::pipeline, and the functions that it is made of. */
#ifndef KBUILD_CPU_CUDA_PIPELINE_H
#define KBUILD_CPU_CUDA_PIPELINE_H

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace nvcuda {
namespace experimental {

template <size_t __Count, class __T>
auto segment(__T *__pointer) -> __T (*)[__Count] {
    return reinterpret_cast<__T(*)[__Count]>(__pointer);
}

class pipeline {
public:
    pipeline() = default;
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;

    size_t commit() {
        __pipeline_commit();
        return __batch++;
    }
    void commit_and_wait() { wait(commit()); }
    void wait(size_t __number) { __pipeline_wait_prior(__batch - __number - 1); }
    template <unsigned __Prior>
    void wait_prior() {
        __pipeline_wait_prior(__Prior);
    }
    void arrive_on(awbarrier &__barrier) { kbuild_cpu::commit_copies(&__barrier); }

private:
    size_t __batch = 0;
};

template <class __T>
__attribute__((always_inline)) inline void memcpy_async(__T &__to, const __T &__from, pipeline &) {
    __to = __from;
    kbuild_cpu::issue_copy(&__to, sizeof __to, &__from, sizeof __from);
}
/* Elements that the source does not have become 0. */
template <class __T, size_t __To, size_t __From>
__attribute__((always_inline)) inline void memcpy_async(__T (*__to)[__To],
                                                        const __T (*__from)[__From], pipeline &) {
    static_assert(__From <= __To, "kbuild: the source is larger than the destination");
    for (size_t __i = 0; __i < __To; ++__i) (*__to)[__i] = __i < __From ? (*__from)[__i] : __T();
    kbuild_cpu::issue_copy(__to, sizeof *__to, __from, sizeof *__from);
}

}  // namespace experimental
}  // namespace nvcuda

#pragma GCC visibility pop
#endif
