/* The limits of a launch, which the registration headers of the backends determine. */
#ifndef KBUILD_DETAIL_LAUNCH_LIMITS_H
#define KBUILD_DETAIL_LAUNCH_LIMITS_H

#include <kbuild/module.h>

#include <stdint.h>

/* The limits of the current device and of one kernel on it.  0 means that the runtime does not
 * say. */
struct kbuild_launch_limits {
    struct kbuild_dim3 grid;
    struct kbuild_dim3 block;
    uint32_t device_threads;      /* threads per block */
    uint32_t kernel_threads;      /* threads per block, limited by launch bounds or registers */
    uint64_t device_shared_bytes; /* per block, static and dynamic together */
    uint64_t static_shared_bytes; /* used by the kernel */
};

#endif
