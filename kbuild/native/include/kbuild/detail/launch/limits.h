/* What a launch may ask for; the registration headers of the backends fill it in. */
#ifndef KBUILD_DETAIL_LAUNCH_LIMITS_H
#define KBUILD_DETAIL_LAUNCH_LIMITS_H

#include <kbuild/module.h>

/* Of the current device and of one kernel on it; 0 where the runtime does not say. */
struct kbuild_launch_limits {
    struct kbuild_dim3 grid;
    struct kbuild_dim3 block;
    uint32_t device_threads;        /* of a block */
    uint32_t kernel_threads;        /* of a block: launch bounds, or the registers it takes */
    uint64_t device_shared_bytes;   /* of a block, static and dynamic ones together */
    uint64_t static_shared_bytes;   /* what the kernel has */
    uint64_t dynamic_shared_bytes;  /* what it may be launched with */
};

#endif
