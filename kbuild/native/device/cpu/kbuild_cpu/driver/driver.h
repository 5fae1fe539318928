/* The driver API of the CPU backend: the vendor's functions, over those of the runtime API.
 *
 * As in host_api.h, every function is `static inline`; only cpu/names/cuda.c defines KBUILD_DRIVER_API to
 * compile functions that are not.  A function of a program has the current signature of its name. */
#ifndef KBUILD_CPU_DRIVER_DRIVER_H
#define KBUILD_CPU_DRIVER_DRIVER_H

#include <kbuild/cpu_driver.h>

#include "types.h"

#pragma GCC system_header

#if !defined(KBUILD_DRIVER_API)
#define KBUILD_DRIVER_API static inline
#endif
/* The start of a function. */
#define KBUILD_DRIVER(name) KBUILD_DRIVER_API CUresult cu##name
/* Returns the code of a call of the runtime. */
#define KBUILD_DRIVER_RETURN(call) return kbuild_cpu_driver_result((int)(call))
/* The same for a call that needs a context. */
#define KBUILD_DRIVER_CALL(call) \
    do { \
        const int __missing = kbuild_cpu_require_context(); \
        return kbuild_cpu_driver_result(__missing != 0 ? __missing : (int)(call)); \
    } while (0)

/* The runtime's codes below 100 that the driver does not have are invalid values.  The runtime API does not
 * report errors of the driver API. */
static inline CUresult kbuild_cpu_driver_result(int __code) {
    if (__code == 0) return CUDA_SUCCESS;
    if (__code != CUDA_ERROR_NOT_READY) kbuild_cpu_take_error();
    if (__code == KBUILD_CPU_INVALID_KERNEL) return CUDA_ERROR_INVALID_HANDLE;
    return __code > 6 && __code < 100 && __code != KBUILD_CPU_DEVICE_UNAVAILABLE
               ? CUDA_ERROR_INVALID_VALUE
               : (CUresult)__code;
}

#include "devices.h"
#include "contexts.h"
#include "links.h"
#include "modules.h"
#include "kernels.h"
#include "memory.h"
#include "virtual_memory.h"
#include "copies.h"
#include "arrays.h"
#include "streams.h"
#include "graphs.h"
#include "entry_points.h"
#include "unsupported.h"
#include "versions.h"

#undef KBUILD_DRIVER_CALL
#undef KBUILD_DRIVER_RETURN
#undef KBUILD_DRIVER
#undef KBUILD_DRIVER_API

#endif
