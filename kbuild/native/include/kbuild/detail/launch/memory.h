/* What a pointer leads to, for captures of launches; the registration headers of the backends
 * fill it in. */
#ifndef KBUILD_DETAIL_LAUNCH_MEMORY_H
#define KBUILD_DETAIL_LAUNCH_MEMORY_H

#include <stddef.h>

enum kbuild_memory_kind {
    KBUILD_MEMORY_UNKNOWN = 0,
    KBUILD_MEMORY_DEVICE = 1,
    KBUILD_MEMORY_MANAGED = 2,
    KBUILD_MEMORY_HOST = 3
};

/* The allocation that a pointer leads into; of none whose extent the runtime knows, a null
 * base. */
struct kbuild_memory {
    const void *__base;
    size_t __bytes;
    enum kbuild_memory_kind __kind;
};

#endif
