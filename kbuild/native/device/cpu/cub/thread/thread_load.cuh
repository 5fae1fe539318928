/* CUB's loads with a cache operator, which are plain loads on the CPU. */
#pragma once
#pragma GCC system_header

#define ThreadLoad kbuild_ThreadLoad
#define UnrolledThreadLoad kbuild_UnrolledThreadLoad
#include_next <cub/thread/thread_load.cuh>
#undef ThreadLoad
#undef UnrolledThreadLoad

CUB_NAMESPACE_BEGIN

template <CacheLoadModifier __modifier, class __Iterator>
detail::it_value_t<__Iterator> ThreadLoad(__Iterator __place) {
    /* These read memory again each time. */
    if (__modifier == LOAD_CV || __modifier == LOAD_VOLATILE)
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return *__place;
}

template <int __count, CacheLoadModifier __modifier, class __T>
void UnrolledThreadLoad(const __T *__from, __T *__to) {
    for (int __i = 0; __i < __count; ++__i) __to[__i] = ThreadLoad<__modifier>(__from + __i);
}

CUB_NAMESPACE_END
