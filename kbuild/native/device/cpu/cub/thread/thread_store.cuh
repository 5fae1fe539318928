/* CUB's stores with a cache operator, which are plain stores on the CPU. */
#pragma once
#pragma GCC system_header

#define ThreadStore kbuild_ThreadStore
#include_next <cub/thread/thread_store.cuh>
#undef ThreadStore

CUB_NAMESPACE_BEGIN

template <CacheStoreModifier __modifier, class __Iterator, class __T>
void ThreadStore(__Iterator __place, __T __value) {
    *__place = __value;
    if (__modifier == STORE_VOLATILE) __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

CUB_NAMESPACE_END
