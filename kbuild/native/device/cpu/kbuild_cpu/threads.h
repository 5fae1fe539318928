/* What the loops over the threads of a block use; see mixed/kernel_text.h. */
#ifndef KBUILD_CPU_THREADS_H
#define KBUILD_CPU_THREADS_H

#include <kbuild/detail/cpu_device_api.h>

#include "qualifiers.h"

#pragma GCC system_header

extern "C" {
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_cpu_progress kbuild_cpu_progress;
extern KBUILD_CPU_IN_IMAGE __thread void *const *kbuild_cpu_arguments; /* of the launch */
}

namespace kbuild_cpu {

/* Returns the launch's object for a parameter that all threads of the grid share. */
template <class __T>
KBUILD_CPU_UNCHECKED __device__ inline __T *find_argument(unsigned long __index) {
    return static_cast<__T *>(kbuild_cpu_arguments[__index]);
}

}  // namespace kbuild_cpu

#endif
