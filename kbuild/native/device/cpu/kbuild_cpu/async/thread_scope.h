/* The scopes of cuda::barrier, cuda::pipeline, and cuda::atomic. */
#ifndef KBUILD_CPU_ASYNC_THREAD_SCOPE_H
#define KBUILD_CPU_ASYNC_THREAD_SCOPE_H

#pragma GCC system_header

namespace cuda {

enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 10
};

}  // namespace cuda

#endif
