/* The memory that a pointer refers to, for captures of launches.  The registration headers of the
 * backends determine it. */
#ifndef KBUILD_DETAIL_LAUNCH_MEMORY_H
#define KBUILD_DETAIL_LAUNCH_MEMORY_H

#include <stddef.h>

enum kbuild_memory_kind {
    KBUILD_MEMORY_UNKNOWN = 0,
    KBUILD_MEMORY_DEVICE = 1,
    KBUILD_MEMORY_MANAGED = 2,
    KBUILD_MEMORY_HOST = 3
};

/* The allocation that contains an address.  The base is null if the runtime does not know the
 * allocation's extent. */
struct kbuild_memory {
    const void *__base;
    size_t __bytes;
    enum kbuild_memory_kind __kind;
};

#endif
