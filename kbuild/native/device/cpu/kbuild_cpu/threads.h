/* What the loops over the threads of a block use; see mixed/kernel_text.h. */
#ifndef KBUILD_CPU_THREADS_H
#define KBUILD_CPU_THREADS_H

#include <kbuild/detail/cpu_device_api.h>

#include "qualifiers.h"

#pragma GCC system_header

extern "C" {
extern KBUILD_CPU_IN_IMAGE __thread struct kbuild_cpu_progress kbuild_cpu_progress;
}

#endif
